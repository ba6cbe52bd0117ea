import type { Static } from 'typebox';
import * as Type from 'typebox';
import { id, strict } from '../../kernel/schema-kit.js';
import { EXPORT_ROWS, ExportEnd, ExportHead } from '../../store/transfer/format.js';
import { KINDS, RowCountsDocument } from '../../store/transfer/port.js';

const counted = Type.Integer({ minimum: 0 });

const store = Type.String({ description: 'Its path, or the URL of its database without user and password.' });
const differences = (description: string) => Type.Array(Type.String(), { description });

export const storeExport = Type.Object(
  { store, out: Type.String(), ...RowCountsDocument.properties },
  { ...strict, title: 'passkey store export --out FILE --json' },
);
export type StoreExport = Static<typeof storeExport>;

const ref = Type.Object({ type: Type.String(), id }, strict);

export const storeImport = Type.Object(
  {
    store,
    dry_run: Type.Boolean(),
    added: RowCountsDocument,
    kept: Type.Object(RowCountsDocument.properties, { ...strict, description: 'Rows that the store had already.' }),
    without_user: Type.Integer({ minimum: 0, description: 'Passkeys, sessions and tokens of users that the export does not describe.' }),
    conflicts: differences('The first rows that do not fit. Then nothing is changed.'),
    conflicts_found: counted,
    new_ids: Type.Object(
      {
        users: Type.Array(Type.Object({ from: ref, to: ref }, strict)),
        passkeys: Type.Array(Type.Object({ from: id, to: id }, strict)),
      },
      { ...strict, description: 'With --merge: what has another id than in the export.' },
    ),
  },
  { ...strict, title: 'passkey store import --json' },
);
export type StoreImport = Static<typeof storeImport>;

export const storeCopy = Type.Object(
  {
    from: store,
    to: store,
    status: Type.Enum(['done', 'refused', 'differs'], {
      description: 'refused: TO held something else, and was not changed. differs: it holds something else now.',
    }),
    added: RowCountsDocument,
    kept: Type.Object(RowCountsDocument.properties, { ...strict, description: 'Rows of an earlier copy.' }),
    differences: differences('The first of them.'),
    differences_found: counted,
  },
  { ...strict, title: 'passkey store copy --json' },
);
export type StoreCopy = Static<typeof storeCopy>;

export const storeBackup = Type.Object(
  {
    store,
    out: Type.String(),
    form: Type.Enum(['store', 'export'], { description: 'store: a file that opens as a store.' }),
    bytes: counted,
    ...RowCountsDocument.properties,
    removed: Type.Array(Type.String(), { description: 'Older backups that --keep has removed.' }),
  },
  { ...strict, title: 'passkey store backup --json' },
);
export type StoreBackup = Static<typeof storeBackup>;

/** One line of an export. */
export const storeExportLine = Type.Union([ExportHead, ...KINDS.map((kind) => EXPORT_ROWS[kind]), ExportEnd], {
  type: 'object',
  title: 'A line of passkey store export',
  description: 'First a head, then a line for each row, last an end mark.',
});
