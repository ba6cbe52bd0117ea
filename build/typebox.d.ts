// What the declarations of this package say of its schemas, in place of TypeBox's own: enough that `Static` gives the same types, so that
// whoever compiles against the package needs nothing installed beside it.

/** A JSON Schema; the type that its values have is known to the compiler only. */
export interface TSchema {
  readonly '~static': unknown;
}

interface Of<T> extends TSchema {
  readonly '~static': T;
}

export type Static<S extends TSchema> = S['~static'];

export type TString = Of<string>;
export type TInteger = Of<number>;
export type TNumber = Of<number>;
export type TBoolean = Of<boolean>;
export type TNull = Of<null>;
export type TUnknown = Of<unknown>;
export type TUnsafe<T> = Of<T>;
export type TLiteral<T> = Of<T>;
export type TEnum<T extends readonly unknown[]> = Of<T[number]>;
export type TUnion<S extends readonly TSchema[]> = Of<Static<S[number]>>;
export type TArray<S extends TSchema> = Of<Static<S>[]>;
export type TRecord<_Key extends string, S extends TSchema> = Of<{ [key: string]: Static<S> }>;
export type TOptional<S extends TSchema> = S & { readonly '~optional': true };

type OptionalKey<P> = { [K in keyof P]: P[K] extends { readonly '~optional': true } ? K : never }[keyof P];
type Plain<T> = { [K in keyof T]: T[K] };

export type TObject<P extends Record<string, TSchema>> = Of<
  Plain<{ [K in Exclude<keyof P, OptionalKey<P>>]: Static<P[K]> } & { [K in OptionalKey<P>]?: Static<P[K]> }>
> & { readonly properties: P };
