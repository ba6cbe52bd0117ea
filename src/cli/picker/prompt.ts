import { createPrompt, useEffect, useKeypress, useState } from '@inquirer/core';
import pc from 'picocolors';
import { grouped } from '../../kernel/wording.js';
import { hasColour, type Io } from '../io.js';
import { type Rows, widest } from '../output/table.js';
import { countVisibleRows, draw, type Picture, type Screen } from './draw.js';
import { firstState, type PickerState, press, searchText, selectedRows } from './state.js';

interface Config {
  readonly picture: Picture;
  readonly texts: readonly string[];
  readonly screen: () => Screen;
  readonly onResize: (listener: () => void) => () => void;
}

/** Size that is assumed for a terminal that does not report its size: the smallest size in common use. */
const SIZE = { width: 80, height: 24 };

/** Treats a size of 0 as unknown. A terminal that was opened by a script reports 0. */
const known = (size: number | undefined): number | undefined => (size === 0 ? undefined : size);

const prompt = createPrompt<readonly number[], Config>(({ picture, texts, screen, onResize }, done) => {
  const [state, setState] = useState<PickerState>(() => firstState(texts.length));
  const [ended, setEnded] = useState(false);
  const [, setResized] = useState(0);
  const now = screen();

  useEffect((readline) => {
    // The terminal has gone, or Ctrl-D was typed.
    readline.on('close', () => done([]));
    let resized = 0;
    return onResize(() => setResized((resized += 1)));
  }, []);

  useKeypress((key, readline) => {
    // The search is kept in the state; readline only tells what was typed.
    const text = readline.line;
    readline.clearLine(0);
    const step = press(state, { name: key.name, ctrl: key.ctrl, text }, { texts, page: countVisibleRows(now) });
    setState(step.state);
    if (step.ended === undefined) return;
    setEnded(true);
    done(step.ended === 'picked' ? selectedRows(step.state) : []);
  });

  if (ended) return `? ${picture.message}: ${grouped(state.selected.size)} selected`;
  const [search, below] = draw(picture, state, now);
  return [search, below];
});

/** Lets the user pick rows of a table, which is drawn on stderr. Returns an empty list if the user selected no row, or left the picker. */
export async function pickRows<T>(io: Io, { message, ...table }: Rows<T> & { readonly message: string }): Promise<readonly T[]> {
  const { rows, columns } = table;
  const cells = rows.map(table.toCells);
  const { stderr } = io;
  const paint = pc.createColors(hasColour(io, stderr));
  const config: Config = {
    picture: { message, columns, rows: cells, wanted: widest(columns, cells, (row) => row) },
    texts: cells.map(searchText),
    screen: () => ({ width: known(stderr.columns) ?? SIZE.width, height: known(stderr.rows) ?? SIZE.height, paint }),
    onResize(listener) {
      stderr.on('resize', listener);
      return () => stderr.off('resize', listener);
    },
  };
  const picked = await prompt(config, { input: io.stdin, output: stderr });
  return picked.map((index) => rows[index]).filter((row) => row !== undefined);
}
