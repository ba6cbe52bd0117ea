/** For `pino({ redact })`: a second line of defence, for what a header or body would bring along by accident. */
export const redaction = {
  paths: ['authorization', 'cookie', 'token', 'secret', 'challenge', 'password']
    .flatMap((name) => [name, `*.${name}`, `*.*.${name}`])
    .concat(
      // Quoted, for its hyphen.
      ['["set-cookie"]', '*["set-cookie"]', '*.*["set-cookie"]'],
    ),
  censor: '[secret]',
};
