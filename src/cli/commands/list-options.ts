/** Columns that `passkey list --sort` takes; `-` in front turns the order around. */
export const SORT_KEYS = [
  'id',
  'label',
  'created_at',
  'last_used_at',
  'revoked_at',
  'sign_count',
  'rp_id',
  'passkeeable_id',
  'passkeeable_type',
] as const;
export type SortKey = (typeof SORT_KEYS)[number];
