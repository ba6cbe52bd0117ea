// Built on the global timers, as all deadlines of this folder are, so that one clock governs them.

/** How long a page may take to show a change, in milliseconds. */
export const PATIENCE = 5_000;
/** Milliseconds between two looks at a page. */
export const LOOK = 50;

/** Waits for some milliseconds. */
export const wait = (milliseconds: number): Promise<void> =>
  new Promise((resolve) => {
    setTimeout(resolve, milliseconds);
  });

/** Resolves after some milliseconds. Does not keep this process running. */
export const timeLimit = (milliseconds: number): Promise<void> =>
  new Promise((resolve) => {
    setTimeout(resolve, milliseconds).unref();
  });

/** Reads a value until it fits, for at most `patience` milliseconds. Returns the last value, which may not fit. */
export async function waitUntil<Value>(
  read: () => Value | Promise<Value>,
  fits: (value: Value) => boolean,
  patience = PATIENCE,
): Promise<Value> {
  let value = await read();
  for (let left = patience / LOOK; !fits(value) && left > 0; left -= 1) {
    await wait(LOOK);
    value = await read();
  }
  return value;
}
