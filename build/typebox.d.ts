// What the declarations of this package say of its schemas, in place of TypeBox's own: enough that `Static` gives the same types, so that
// whoever compiles against the package needs nothing installed beside it.

declare namespace Type {
  /** A JSON Schema; the type that its values have is known to the compiler only. */
  interface TSchema {
    readonly '~static': unknown;
  }

  interface Of<T> extends TSchema {
    readonly '~static': T;
  }

  type Static<S extends TSchema> = S['~static'];

  type TString = Of<string>;
  type TInteger = Of<number>;
  type TNumber = Of<number>;
  type TBoolean = Of<boolean>;
  type TNull = Of<null>;
  type TUnknown = Of<unknown>;
  type TUnsafe<T> = Of<T>;
  type TLiteral<T> = Of<T>;
  type TEnum<T extends readonly unknown[]> = Of<T[number]>;
  type TUnion<S extends readonly TSchema[]> = Of<Static<S[number]>>;
  type TArray<S extends TSchema> = Of<Static<S>[]>;
  type TRecord<_Key extends string, S extends TSchema> = Of<{ [key: string]: Static<S> }>;
  type TOptional<S extends TSchema> = S & { readonly '~optional': true };

  type OptionalKey<P> = { [K in keyof P]: P[K] extends { readonly '~optional': true } ? K : never }[keyof P];
  type Plain<T> = { [K in keyof T]: T[K] };

  type TObject<P extends Record<string, TSchema>> = Of<
    Plain<{ [K in Exclude<keyof P, OptionalKey<P>>]: Static<P[K]> } & { [K in OptionalKey<P>]?: Static<P[K]> }>
  > & { readonly properties: P };
}

export default Type;
export type Static<S extends Type.TSchema> = Type.Static<S>;
export type TSchema = Type.TSchema;
