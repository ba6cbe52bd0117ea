import { type Command, Option } from 'commander';
import { collect, remarks } from './options.js';

/** The flags of `passkey simulate` that write a target profile, or try one. */
export function addProfileTools(command: Command): Command {
  return command
    .option(
      '--probe',
      'with --url: register and log in once, step by step, send two forgeries, and name the line of the profile that did not fit',
    )
    .option('--init-profile [file]', 'write a target profile; the ending of FILE says JSON or YAML (default: passkey-target.json)')
    .option('--from <profile>', 'with --init-profile: start from this built-in profile')
    .option('--har <file>', 'with --init-profile: write it from one recorded registration and login, an HTTP archive')
    .addOption(new Option('--answer <question=answer>', 'with --init-profile: answer a question in advance; repeatable').argParser(collect))
    .option('--force', 'with --init-profile: replace FILE if it exists')
    .addHelpText(
      'after',
      remarks(
        '--init-profile asks how to talk to a server, one question after another. --answer answers them without a terminal: name, origin, sign-up, sign-up-body, registration-options, registration-options-body, registration, login (named or discoverable), authentication-options, authentication-options-body, authentication, credential (body, member:NAME or text:NAME), accept ("json verified=true") and whoami. Requests are a method and a path, such as "POST /login/options".',
        'For --har, open the developer tools, sign up, register a passkey, sign out, log in with it, and export the archive with its contents. Its cookies, passwords and tokens stay out of the profile.',
      ),
    );
}
