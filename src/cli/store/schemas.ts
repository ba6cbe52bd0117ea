import * as Type from 'typebox';

export const counted = Type.Integer({ minimum: 0 });

export const storeName = Type.String({ description: 'Its path, or the URL of its database without user and password.' });
export const differences = (description: string) => Type.Array(Type.String(), { description });
