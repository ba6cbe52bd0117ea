import * as Type from 'typebox';
import { encodeBase64url } from '../../webauthn/base64url.js';
import { readPrivateKeyPems, writePrivateKeyPem } from './pkcs8-pem.js';
import { base64, decode, makeReader, name, objectsAt, parseJson } from './reading.js';
import { invalid, naming, type Shape } from './shape.js';

const TITLE = 'the passkey file of KeePassXC';

const readMembers = makeReader(
  Type.Object({ privateKey: name, credentialId: base64, relyingParty: name, userHandle: base64, username: name }),
);

/**
 * The file that KeePassXC exports and imports (`.passkey`). It contains one credential, with the key in PEM and all other bytes in
 * base64url. The credential is discoverable, has the flags of a synced passkey, and has no counter
 * (https://github.com/keepassxreboot/keepassxc, src/gui/passkeys/PasskeyExporter.cpp).
 */
export const keepassxc: Shape = {
  title: TITLE,
  carries: ['id', 'rpId', 'userHandle', 'userName'],
  assumes: { backupEligible: true, backupState: true },
  kinds: ['P-256', 'Ed25519', 'RSA'],
  single: true,
  read: (text) =>
    objectsAt(parseJson(text, TITLE), 'passkey').map(({ object, at }) => {
      const { privateKey: pem, credentialId, relyingParty, userHandle, username } = readMembers(object, at);
      const [privateKey, ...others] = readPrivateKeyPems(pem, `${at}.privateKey`);
      if (privateKey === undefined || others.length > 0) throw invalid(`Expected ${at}.privateKey to hold one key; got several.`);
      return { at, id: decode(credentialId), rpId: relyingParty, userHandle: decode(userHandle), userName: username, privateKey };
    }),
  write(sources, { remark }) {
    const documents = sources.map(({ id, rpId, user, privateKey }) => {
      const credentialId = encodeBase64url(id);
      if (user.name === '') {
        remark({
          credentialId,
          member: 'userName',
          message: `userName of ${naming({ id, rpId })} is empty, so KeePassXC would refuse the file. Give the user a name.`,
        });
      }
      return {
        relyingParty: rpId,
        url: `https://${rpId}`,
        username: user.name,
        credentialId,
        userHandle: encodeBase64url(user.id),
        privateKey: writePrivateKeyPem(privateKey),
      };
    });
    return JSON.stringify(documents[0], null, 2);
  },
};
