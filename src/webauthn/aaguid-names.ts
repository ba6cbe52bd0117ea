/**
 * Names of passkey providers and security keys by AAGUID. Use them only as labels: an AAGUID without a verified attestation proves nothing.
 * The table is of 2026-11-21. Its names and identifiers come from
 *
 * - the community list https://github.com/passkeydeveloper/passkey-authenticator-aaguids (providers). The list states no licence, so
 * nothing else is taken from it, in particular no icons.
 * - Microsoft's list of security keys in FIDO MDS version 285,
 * https://learn.microsoft.com/entra/identity/authentication/concept-fido2-hardware-vendor of 2026-10-06, by Microsoft, CC BY 4.0, changed:
 * names of the same product in several editions are merged.
 * - public code that names Ledger's devices.
 *
 * Each line is one product: its name, a vertical bar, its AAGUIDs.
 */
const TABLE = `
1Password | bada5566-a7aa-401f-bd96-45619a55120d
AVG Password Manager | 6bb49926-160a-4306-a100-4eb39ba6ac45
AliasVault | a11a5faa-9f32-4b8c-8c5d-2f7d13e8c942
Android | b93fd961-f2e6-462f-b122-82002247de78
Avast Password Manager | a4a2d88e-9796-4356-9164-e2a5a8bd019c
Avira Password Manager | e7db2bd3-f2fe-4d71-ad78-7e7aa166cfd1
Bitwarden | d548826e-79b4-db40-a3d8-11116f7e8349
Chrome on Mac | adce0002-35bc-c60a-648b-0b25f1f05503
Chromium Browser | b5397666-4885-aa6b-cebf-e52262a439a2
Dashlane | 531126d6-e717-415c-9320-3d9aa6981239
Devolutions | de503f9c-21a4-4f76-b4b7-558eb55c6f89
Edge on Mac | 771b48fd-d3d4-4f74-9232-fc157ab0507a
Enpass | f3809540-7f14-49c1-a8b3-8f813b225541
Google Password Manager | ea9b8d66-4d01-1d21-3ce4-b6b48cb575d4
Heimlane Vault | d49b2120-b865-4191-8cea-be84a52b0485
Kaspersky Password Manager | a10c6dd9-465e-4226-8198-c7c44b91c555
KeePassDX | eaecdef2-1c31-5634-8639-f1cbd9c00a08
KeePassXC | fdb141b2-5d84-443e-8a35-4698c205a502
Keeper | 0ea242b4-43c4-4a1b-8b17-dd6d0b6baec6
LastPass | b78a0a55-6ef8-d246-a042-ba0f6d55050c
LogMeOnce | 22248c4c-7a12-46e2-9a41-44291b373a4d
Microsoft Authenticator | 90a3ccdf-635c-4729-a248-9b709135078f de1e552d-db1d-4423-a619-566b625cdc84
Microsoft Password Manager | d3452668-01fd-4c12-926c-83a4204853aa
NordPass | b84e4048-15dc-4dd0-8640-f4f60813c8af
Norton Password Manager | fa37f553-f9b6-4adb-ac53-8bbb57ebdf0d
Passwall | 70617373-7761-6c6c-6669-646f32303236
Password Depot | 53e7a7a5-e75f-4d3d-9483-12fc779cdf23
Proton Pass | 50726f74-6f6e-5061-7373-50726f746f6e
RSA Authenticator | 59f85fe7-faa5-4c92-9f52-697b9d4d5473 8681a073-5f50-4d52-bce4-e21658d207b3
Royal Vault | 65c97700-f5ef-4d5c-8a42-f30e45ac94b7
Samsung Pass | 53414d53-554e-4700-0000-000000000000
Sticky Password | d9be9d39-e6a6-4c28-a581-32b044d986e4
Sésame | 891494da-2c90-4d31-a9cd-4eab0aed1309
Thales Bio Android SDK | 8836336a-f590-0921-301d-46427531eee6
Thales Bio iOS SDK | 66a0ccb3-bd6a-191f-ee06-e375c50b9846
Thales PIN Android SDK | cd69adb5-3c7a-deb9-3177-6800ea6cb72a
Thales PIN iOS SDK | 17290f1e-c212-34d0-1423-365d729f09d9
ToothPic Passkey Provider | cc45f64e-52a2-451b-831a-4edd8022a202
TruU Authenticator | bb878d7b-cf54-4784-b390-357030497043 95e4d58c-056e-4a65-866d-f5a69659e880 ba86dc56-635f-4141-aef6-00227b1b9af6
Uniqkey | 45e3057e-b2f9-48ed-912f-9b901e153b16
VeridiumID Passkey | 1e906e14-77af-46bc-ae9f-fe6ef18257e4 8d4378b0-725d-4432-b3c2-01fcdaf46286
WALLIX Vault | 477b05cd-7f78-4fe7-b629-27247f296138
WinMagic FIDO Eazy | 970c8d9c-19d2-46af-aa32-3f448db49e35 f56f58b3-d711-4afc-ba7d-6ac05f88cb19 31c3f7ff-bf15-4327-83ec-9336abcbcd34
Windows Hello | 08987058-cadc-4b81-b6e1-30de50dcbe96 9ddd1817-af5a-4672-a2b9-3e3dd95000a9 6028b017-b1d4-4c02-b4b3-afcdafc96bb2
Zoho Vault | b35a26b2-8f6e-4697-ab1d-d44db4da28c6
iCloud Keychain | fbfc3007-154e-4ecc-8c0b-6e020557d7bd
iCloud Keychain (Managed) | dd4ec289-e01d-41c9-bb89-70fa845d4bf2
iPasswords | bfc748bb-3429-4faa-b9f9-7cfa9f3b76d0
initial | 6d212b28-a2c1-4638-b375-5932070f62e9
pwSafe | d350af52-0351-4ba2-acd3-dfeeadc3f764
ACS FIDO Authenticator | 50a45b0c-80e7-f944-bf29-f552bfa2e048 c89e6a38-6c00-5426-5aa5-c9cbf48f0382
ACS FIDO Authenticator Card | 973446ca-e21c-9a9b-99f5-9b985a67af0f
ACS PocketKey+ Bio | cb4f796c-a20a-af9e-d639-213c1ec247f3
ATKey.Card | d41f5a69-b817-4144-a13c-9ebd6d9254d6 da1fa263-8b25-42b6-a820-c0036f21ba7f
ATKey.Pro | e1a96183-5016-4f24-b55b-e3ae23614cc6 e416201b-afeb-41ca-a03d-2281c28322aa
ATKey.ProS | ba76a271-6eb6-4171-874d-b6428dbe3437
ATLKey Authenticator | 019614a3-2703-7e35-a453-285fd06c5d24
Allthenticator | 5ca1ab1e-fa57-1337-f1d0-a117371ca702 5ca1ab1e-1337-fa57-f1d0-a117e71ca702
Arculus Key Card | 3f59672f-20aa-4afe-b6f4-7e5e916b6d98 9d3df6ba-282f-11ed-a261-0242ac120002
Atos CardOS FIDO2 | 1c086528-58d5-f211-823c-356786e36140 8da0e4dc-164b-454e-972e-88f362b23d59
Clife Key | 930b0c03-ef46-4ac4-935c-538dccd1fcdb
Clife Key 2 | fc5ca237-69a0-4f3c-afe4-1ebc66def6df 23315ad0-6aca-4ba1-952e-f044f1e36976
Crayonic KeyVault K1 | be727034-574a-f799-5c76-0929e0430973
Cryptnox FIDO2 | 9c835346-796b-4c27-8898-d6032f515cc5 1d1b4e33-76a1-47fb-97a0-14b10d0933f1
Deepnet SafeKey | b12eac35-586c-4809-a4b1-d81af6c305cf
Egomet FIDO2 Authenticator | 1105e4ed-af1d-02ff-ffff-ffffffffffff
Ensurity AUTH BioPro | 454e5346-4944-4ffd-6c93-8e9267193e9b
Ensurity ThinC | 454e5346-4944-4ffd-6c93-8e9267193e9a
Excelsecu eSecu FIDO2 Fingerprint Key | 6002f033-3c07-ce3e-d0f7-0ffe5ed42543 20f0be98-9af9-986a-4b42-8eca4acb28e4 d384db22-4d50-ebde-2eac-5765cf1e2a44
Excelsecu eSecu FIDO2 NFC Security Key | a3975549-b191-fd67-b8fb-017e2917fdb3 fbefdf68-fe86-0106-213e-4d5fa24cbe2e
Excelsecu eSecu FIDO2 Pro Security Key | 0d9b2e56-566b-c393-2940-f821b7f15d6d bbf4b6a7-679d-f6fc-c4f2-8ac0ddf9015a
Excelsecu eSecu FIDO2 Security Key | cdbdaea2-c415-5073-50f7-c04e968640b6
FIDO KeyPass S3 | f4c63eff-d26c-4248-801c-3736c7eaa93a
Feitian AllinOne | 12ded745-4bed-47d4-abaa-e713f51d6393
Feitian BioPass FIDO2 | 77010bd7-212a-4fc9-b236-d2ca5e9d4084
Feitian BioPass FIDO2 Plus | a02140b7-0cbd-42e1-a9b5-a39da2545114 42df17de-06ba-4177-a2bb-6701be1380d6 b6ede29c-3772-412c-8a78-539c1f4c62d2
Feitian BioPass FIDO2 Pro | 2bff89f2-323a-48fc-b7c8-9ff7fe87c07e 4c0cf95d-2f40-43b5-ba42-4c83a11c04ba
Feitian ePass FIDO | 12755c32-8ad1-46eb-881c-e0b38d848b09 833b721a-ff5f-4d00-bb2e-bdda3ec01e29
Feitian ePass FIDO-NFC | 39589099-9a75-49fc-afaa-801ca211c62a 78ba3993-d784-4f44-8d6e-cc0a8ad5230e ee041bce-25e5-4cdb-8f86-897fd6418464 234cd403-35a2-4cc2-8015-77ea280c77f5
Feitian iePass FIDO | 3e22415d-7fdf-4ea4-8a0c-dd60c4249b9d
GoTrust Idem Card | 9f0d8150-baa5-4c00-9299-ad62c8bb4e87
GoTrust Idem Key | 3b1adb99-0dfe-46fd-90b8-7f7614a4de2a c611b55c-77b2-4527-8082-590e931b2f08 72a2b5b1-95a5-4df9-a881-4192aff4f72e
GoldKey Security Token | 0db01cd6-5618-455b-bb46-1ec203d3213e 39502df1-646d-4e31-81a1-2ef68b324678
Google Titan Security Key v2 | 42b4fb4a-2866-43b2-9bf7-6c6669c2e5d3
HID Crescendo 4000 | 0b8b05a4-ebd4-4b0b-8f5f-33d7b6e606ab 2a55aee6-27cb-42c0-bc6e-04efe999e88a aa79f476-ea00-417e-9628-1e8365123922 8eec9bf9-486c-46da-9a67-1fbb4f66b9ed
HID Crescendo C2300 | aeb6569c-f8fb-4950-ac60-24ca2bbe2e52
HID Crescendo C3000 | c80dbd9a-533f-4a17-b941-1a2f1c7cedff
HID Crescendo Key | 692db549-7ae5-44d5-a1e5-dd20a493b723 2d3bec26-15ee-4f5d-88b2-53622490270b
HID Crescendo Key V3 | 7991798a-a7f3-487f-98c0-3faf7a458a04 87c13177-85d6-40ac-8c61-fe7ab3de9dfb 13ac47cf-1d78-4fd5-9060-aedaabacf826 19bca99b-7c09-44fe-a969-8cba45764542
HYPR FIDO2 Authenticator | 0076631b-d4a0-427f-5773-0ec71c9e0279
Hideez Key 4 | 4e768f2c-5fab-48b3-b300-220eb487752b
Hyper FIDO Bio Security Key | d821a7d4-e97c-4cb6-bd82-4237731fd4be
Hyper FIDO Pro | 9f77e279-a6e2-4d58-b700-31e5943c6a98 6999180d-630c-442d-b8f7-424b90a43fae 23195a52-62d9-40fa-8ee5-23b173f4fb52
ID-One Card | bb405265-40cf-4115-93e5-a332c1968d8c 8d1b1fcb-3c76-49a9-9129-5515b346aa02
ID-One Key | 82b0a720-127a-4788-b56d-d1d4b2d82eac f2145e86-211e-4931-b874-e22bba7d01cc
IDmelon | 820d89ed-d65a-409e-85cb-f73f0578f82a 39a5647e-1853-446c-a1f6-a79bae9f5bc7
ImproveID Authenticator | 4c50ff10-1057-4fc6-b8ed-43a529530c3c
KeyXentic FIDO2 | 4b3f8944-d4f2-4d21-bb19-764a986ec160 ec31b4cc-2acc-4b8e-9c01-bade00ccbe26
Ledger Flex | 1d8cac46-47a1-3386-af50-e88ae46fe802
Ledger Nano S | 341e4da9-3c2e-8103-5a9f-aad887135200
Ledger Nano S Plus | 58b44d0b-0a7c-f33a-fd48-f7153c871352
Ledger Nano X | fcb1bcb4-f370-078c-6993-bc24d0ae3fbe
Ledger Stax | 6e24d385-004a-16a0-7bfe-efd963845b34
NEOWAVE Badgeo FIDO2 | c5703116-972b-4851-a3e7-ae1259843399 a7fc3f84-86a3-4da4-a3d7-eb6485a066d8
NEOWAVE Winkeo FIDO2 | 3789da91-f943-46bc-95c3-50ea2012f03a 2c2aeed8-8174-4159-814b-486e92a261d0
Nitrokey 3 | 2cd2f727-f6ca-44da-8f48-5c2e5da000a2
Nymi FIDO2 Authenticator | 0acf3011-bc60-f375-fb53-6f05f43154e0
OFFPAD Authenticator | 69700f79-d1fb-472e-bd9b-a3a3b9a9eda0
OneKey FIDO2 Bluetooth Authenticator | 70e7c36f-f2f6-9e0d-07a6-bcc243262e6b
OneSpan DIGIPASS FX1 | 30b5035e-d297-4ff1-b00b-addc96ba6a98 30b5035e-d297-4ff1-020b-addc96ba6a98 30b5035e-d297-4ff1-010b-addc96ba6a98
OneSpan DIGIPASS FX2 | 30b5035e-d297-4ff2-010b-addc96ba6a98
OneSpan DIGIPASS FX7 | 30b5035e-d297-4ff7-020b-addc96ba6a98 30b5035e-d297-4ff7-b00b-addc96ba6a98 30b5035e-d297-4ff7-010b-addc96ba6a98 30b5035e-d297-4ff7-030b-addc96ba6a98
OnlyKey | 998f358b-2dd2-4cbe-a43a-e8107438dfb3
OpenSK | 664d9f67-84a2-412a-9ff7-b4f7d8ee6d05
RSA DS100 | 7e3f3d30-3557-4442-bdae-139312178b39
SECORA ID V2 | 3e9db280-256a-4e17-b08e-19d79e9be166 005b20e1-f146-4b87-8f3a-36848ff60ea6 4e2ddbc2-2687-4709-8551-cb66c9776bfe
SafeNet eToken FIDO | efb96b10-a9ee-4b6c-a4a9-d32125ccd4a4 b113a455-cfb6-4c17-8cba-cd952feb7d48
SafeNet eToken Fusion | 74820b05-a6c9-40f9-8fb0-9f86aca93998 23786452-f02d-4344-87ed-aaf703726881 d716019a-9f4e-4041-9750-17c78f8ae81a 050dd0bc-ff20-4265-8d5d-305c4b215192
SafeNet eToken Fusion NFC | 10c70715-2a9a-4de1-b0aa-3cff6d496d39 146e77ef-11eb-4423-b847-ce77864e9411
Security Key by Yubico | b92c3f9a-c014-4056-887f-140a2501163b f8a011f3-8c0a-4d15-8006-17111f9edc7d
Security Key NFC by Yubico | 149a2021-8ef6-4133-96b8-81f8d5b7f1f5 6d44ba9b-f6ec-2e49-b930-0c8fe920cb73 a4e9fc6d-4cbe-4758-b8ba-37598bb5bbaa b7d3f68e-88a6-471e-9ecf-2df26d041ede e77e3c64-05e3-428b-8824-0cbeb04b829d
Security Key NFC by Yubico - Enterprise Edition | 0bb43545-fd2c-4185-87dd-feb0b2916ace 47ab2fb4-66ac-4184-9ae1-86be814012d5 ed042a3a-4b22-4455-bb69-a267b652ae7e 72c6b72d-8512-4c66-8359-9d3d10d9222f 9ff4cc65-6154-4fff-ba09-9e2af7882ad2
Solo | 8876631b-d4a0-427f-5773-0ec71c9e0279
Solo Tap | 8976631b-d4a0-427f-5773-0ec71c9e0279
Somu | 9876631b-d4a0-427f-5773-0ec71c9e0279
StarSign FIDO Card | c89674e3-a765-4b07-888a-7c086fbdf04b
StarSign Key Fob | f8d5c4e9-e539-4c06-8662-ec2a4155a555
Swissbit iShield Key 2 | 7787a482-13e8-4784-8a06-c7ed49a7aaf4 e400ef8c-711d-4692-af46-7f2cf7da23ad 817cdab8-0d51-4de1-a821-e25b88519cf3 5eaff75a-dd43-451f-af9f-87c9eeae293e
Swissbit iShield Key | 931327dd-c89b-406c-a81e-ed7058ef36c6 5d629218-d3a5-11ed-afa1-0242ac120002
TOKEN2 FIDO2 Security Key | ab32f0c6-2239-afbb-c470-d2ef4e254db7
TOKEN2 PIN Plus Security Key | eabb46cc-e241-80bf-ae9e-96fa6d2975cf
Thales IDPrime FIDO | ca4cff1b-5a81-4404-8194-59aabcf1660b b50d5e0a-7f81-4959-9b12-f45407407503 2194b428-9397-4046-8f39-007a1605a482 2ffd6452-01da-471f-821b-ea4bf6c8676a 4d41190c-7beb-4a84-8018-adf265a6352d
Thetis Pro FIDO2 Key | 1f8e43df-71ff-e11d-bea3-c4ee7003b232
Token Ring | c62100de-759b-4bf8-b22b-63b3e3a80401 91ad6b93-264b-4987-8737-3a690cad6917
VeriMark Guard Fingerprint Key | d94a29d9-52dd-4247-9c2d-8b818b610389 09619fbf-d75e-4a62-be1d-fe4d240864ae
VeriMark NFC+ Security Key | 76692dc1-c56a-48d9-8e7d-31b5ced430ac ee7fa1e0-9539-432f-bd43-9c2fc6d4f311
VinCSS FIDO2 | 5fdb81b8-53f0-4967-a881-f5ec26fe4d18 9012593f-43e4-4461-a97a-d92777b55d74
YubiKey 5 CCN Series with NFC | 3aa78eb1-ddd8-46a8-a821-8f8ec57a7bd5 eb7ef748-cbe0-4b40-b8f6-07bd2d592d35 3ec9c8d3-a5a7-415b-a7b5-f1d606368d3f 4fc84f16-2545-4e53-b8fc-7bf4d7282a10
YubiKey 5 FIPS Series | 57f7de54-c807-4eab-b1c6-1c9be7984e92 73bb0cd4-e502-49b8-9c6f-b59445bf720b 905b4cb4-ed6f-4da9-92fc-45e0d4e9b5c7
YubiKey 5 FIPS Series with Lightning | 7b96457d-e3cd-432b-9ceb-c9fdd7ef7432 85203421-48f9-4355-9bc8-8a53846e5083 3a662962-c6d4-4023-bebb-98ae92e78e20
YubiKey 5 FIPS Series with NFC | c1f9a0bc-1dd2-404a-b27f-8e29047a43fd fcc0118f-cd45-435b-8da1-9782b2da0715 79f3c8ba-9e35-484b-8f47-53a5a0f5c630
YubiKey 5 Series | 19083c3d-8383-4b18-bc03-8f1c9ab2fd1b cb69481e-8ff7-4039-93ec-0a2729a154a8 ee882879-721c-4913-9775-3dfcce97072a ff4dac45-ede8-4ec2-aced-cf66103f4335 0a357157-9b18-4c8a-920e-d156e972b2f8 20ac7a17-c814-4833-93fe-539f0d5e3389 4599062e-6926-4fe7-9566-9e8fb1aedaa0 524de2de-982f-49b4-a769-2b5e3b73ad79
YubiKey 5 Series with Lightning | 24673149-6c86-42e7-98d9-433fb5b73296 a02167b9-ae71-4ac7-9a07-06432ebb6f1c c5ef55ff-ad9a-4b9f-b580-adebafe026d0 03012cb7-4fb2-42e7-9e8d-a81f10e2a5e9 3b24bf49-1d45-4484-a917-13175df0867b b90e7dc1-316e-4fee-a25a-56a666a670fe c3479970-e58a-4f70-836f-853bf42fb063
YubiKey 5 Series with NFC | 2fc0579f-8113-47ea-b116-bb5a8db9202a a25342c0-3cdc-4414-8e46-f4807fca511c d7781e5d-e353-46aa-afe2-3ca49f13332a fa2b99dc-9e39-4257-8f92-4a30d23c4118 f4ce5fc0-57d3-46f5-a736-efb7d5bc63b5 7dab85a5-d16d-4eaf-a7ef-4c1385b151c5 1ac71f64-468d-4fe0-bef1-0e5f2f551f18 41e39911-c669-4811-b860-c6ad0b411b96 6ab56fad-881f-4a43-acb2-0be065924522 9eb7eabc-9db5-49a1-b6c3-555a802093f4
YubiKey 5 Series with NFC - Enhanced PIN | 662ef48a-95e2-4aaa-a6c1-5b9c40375824 b2c1a50b-dad8-4dc7-ba4d-0ce9597904bc 0ebd9f2c-f685-441c-8c3e-a02a234a840a 9a3f2abd-a73d-439c-9ee7-1b53a857eaa7
YubiKey Bio Series - FIDO Edition | 9dd8d593-2213-438a-97f8-d6b813d51c27 add92433-0d69-4026-8166-29b25bce64e9 7409272d-1ff9-4e10-9fc9-ac0019c124fd d8522d9f-575b-4866-88a9-ba99fa02f35b dd86a2da-86a0-4cbe-b462-4bd31f57bc6f 83c47309-aabb-4108-8470-8be838b573cb 8c39ee86-7f9a-4a95-9ba3-f6b097e5c2ee ad08c78a-4e41-49b9-86a2-ac15b06899e2
YubiKey Bio Series - Multi-protocol Edition | ba0a9266-40d8-4048-9786-d710b5474752 9806a2c8-c0da-478e-b4ca-620005d34182 dc5e949d-f939-43b3-9877-a85c7186b753 34744913-4f57-4e6e-a527-e9ec3c4b94e6 7d1351a6-e097-4852-b8bf-c9ac5c9ce4a3 90636e1f-ef82-43bf-bdcf-5255f139d12f 6ec5cff2-a0f9-4169-945b-f33b563f7b99 97e6a830-c952-4740-95fc-7c78dc97ce47 58276709-bb4b-4bb3-baf1-60eea99282a7
`;

export const AAGUID_NAMES: ReadonlyMap<string, string> = new Map(TABLE.trim().split('\n').flatMap(readLine));

function readLine(line: string): [string, string][] {
  const [name = '', aaguids = ''] = line.split(' | ');
  return aaguids.split(' ').map((aaguid) => [aaguid, name]);
}
