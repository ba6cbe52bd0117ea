import { decodeBase64url } from '../webauthn/base64url.js';
import { integer, sequence } from '../webauthn/der-writer.js';
import { inverse, readNumber } from './big-number.js';

/**
 * PUBLIC TEST KEYS. Anyone can read these prime factors (p, then q, base64url), so keys made from them protect nothing. They are needed
 * because Node cannot seed the generation of RSA keys. A seeded authenticator takes its RSA keys from this pool.
 */
const POOL: Readonly<Record<2048 | 3072, readonly (readonly [p: string, q: string])[]>> = {
  2048: [
    [
      '1ncRojYAaKq85hcybF4T4VCRlXHdNzs_GBU224I2f3Ff59uJvgyTFYma0UBzA9m0Sw_qkqSwyWINeakewSrJPJecCJVke2Nb1Fm2yw1ttGe9VMw3pVQzizxP35EeMJdkMmkNz12BPhrizr-sTXvNGNghpxIuNwzPynEhZCtWjU8',
      'wcqxhBN9m-ejOkJcVfUpzOabWvXXwAcvVQ7KGAAaR6ai19BuutpWsjI5Oqc2-AnGYIDyvmZT7aK-ejoNYAiPnXJ4LKrVgUprxgsoMKbcDpZEyVXEaoWlMNmfZ8XiGdiKENzyjp6MJRJKgLMunGxi2u5s5cvhjHs_tmxTO4v_tBE',
    ],
    [
      '7V_vyr3S8pV-mrEhhH3V9WRbyoXoBe86RQJcU8_Ka5U72ctqDFCnY4OJFZBLXyFLqjV7dizM2FmNb962C0H9wCTSFssgqv4jr_fVtFOl6xoyv6foLyDDB151AKiDFjR-nQ7KjfaB6-XyADTricFyH1zXdd7ABIKmUl79TXttetU',
      '42xdTSBeNdwM_YW2rs7vAP9cXeqlSE2x7rbrKqfIFA_nOr74P_noEVmsZZZK_V8ey5umfByU6kuqkclFZ8Za011A26ZgBXmp8hDAPMWCq-0xvPD0xRTmzO6IDwyAJquetyob50borEiAKiqgoM7X3_HHVOjv7Cdvzp_K9feUMNU',
    ],
    [
      '8ZsIundlxB4W8cjOKYXg_I3vVRwmi0gTWQZfiy20oiNqaHqUF86AzU3xI1rIvT8AtnNHUCcasidSqgEEqnqWPFF3ot8mvDOGa5UtaAFSjWoy2dP0zR94qeo0N5Wcign8peNOsIotpKBCiM_AhL86zshpzXg1ufBnmaa5aRn5nyE',
      '8Q8ihpV4-7ir-M5vi1gt0KzGixugJ44AZdjkyVqfbEGW7ObIoRmyHfvEL8aGUJil4br1jnOebevCY7uBu5Od_MfHmXMdKQtSpssIDjp43aG9UVsf5w-THaabxhZW8uQhZNfG1remFGFUAGV0s4l91mrBpfWOtmyXNR3qMbxVwe0',
    ],
    [
      '6IzRJv6542wTtQ9sZBKk5hNeJtxhgU6yylg4thRRxE99OQjGPC5EICsrORGw6c2eNOrEx7j4fW5m3vfvCmgd6r-XzT1DOiAxQtkU5nQ6FTgvRZ8W4XwMJb5Bj3zLU_VA0P6QvEBYi8XXdoW8b3e9QVvkm30TXLRkWPA0TyU6X_s',
      '488XE3J5YCBZAa6JYJZjcHwICCM31OwPPmlLDZ35xz9H1zVoeSGnKW65STk2tizshxiAx0Oj1HUVPDXYmhQ-qu4iyt6uXS5R9IXgNwGPOvkbSBDHvwx3GfJ6XwCQqlVtX0PjOX_i_BkLLtXLIQ2li-r67AurDn_AVzqnH7kdLGs',
    ],
    [
      '04xqJOI-c8ffChsCuchSK9bZ4OR8zHV_6cndE1iP7dX7Z6NtF0hfxNW7U_ilU85FCKEBb07L0z0mnqsAYDmmJKMx8fR80UQifT5urG7QN4k0X-uf1wtGZ44NlE8yxKBLDtc-llZ0_iM0Kd2hcmmuiVtwC4ZetEJ68puTizsk0Cs',
      'zwpi6DuBv0YMcONd8l2WVwCsKGi_MyOB2XtU0UKxWMQWxncWBdpD6iiPA5gzC3eOeH0lRBrGfTL_72hFrh5TKmbkEriLrkVV6719FD3ZuwACmKkYEdQ3-iMqFqfIM6FuLRbHazaIopCLBGlMfZ5UDgzAUUdRpdJ2pAvI93vwIgc',
    ],
    [
      '1xySXLqxOuVzfK5Hyj44-Zr4A2tbv6VccVLttKnyqdKRFnlkr0Og2oTijdYjmwE5PQ6mPBkstHVNBPC-L8T1lUoAcQLzDVV0yPET_IktJxmcF_kpmfIaRu6ib9qLW2B5uzrAJAtEVhHqOR_Kl68_7zynSsu7FX3SemUg-s94eIE',
      'zzKLqovxLeMf78Z_n-TiQwkAz8rGhLuZ8_w15MJUBAgJp4Cy_frN50qAOz2BDtWFE_Zo_2G0bDDt4reJO-5xBVIDzfmtkDv8Walp_N3ImpbWolPR9_ur2l903YSfV8CETUGbtjFCNwRyimAZHoG4jZcBnWABvWZ3v-JMzLucoW8',
    ],
  ],
  3072: [
    [
      '_8zI1MDf7Os55b7n1vvVuX_ief7ZacLyKFo2MUyHL7gxbBLXxGs_Y5eglbD3iFCOd42MsIGSFc0yrkzHQaWLBTGSbXt-7Iu3zu7wv-EcC3Upg93oNrEmco4POGRbqbYPzpzTVtR4QC623G7tMI7Du_mewPpTA-e1pAiFRaGZl0bpdXt87UPnZh7_QMZxBsfEFGcUoOkI3aE840JozTHI1DNRP6alyziQzeNFsnkiPe3rKeY04itQmRcXV8HvU2wn',
      'uAG0_aKX_3JfSq42FE4f-jZaICUtoWFaqPzYC0UOktCVKpbxG3DUZ51oK2LNl8cLGrLvwiyKhyJSvjRDuw6LePSSgzzq5sh9a9qwYCAQpqp9c7hkl-5VqCUakfcsw90DDT9wYBaFd_Oq9Ykgia8ZTn68L-QzKqqgtpf5ig6F1CXSmYzouYlTkk1dPJJxNkVwy9Ssx3WntGt9hl9wbf2Nk3D9ntj3iBfYCj1jlCUh4WGz5g44GDmRQ7KiAfUzHd01',
    ],
    [
      '_Bo0LpGS4NXhUmdwukMW-XBwoigxkJXIbUbjUBCMYu8to75L647gGH5FqRhh-iJ8Vjj0lg0Wr7uvsYAIWqK3yvg3RpowhAWeatIJ5lA3irdkzUzuBD9C49wpjs7lHM7Ig8u5THYhv_BnELKP3mSknBOyuOVQVbmTYIpVNIKCXcgcnlao7ePlvf_2oiRC3SUU7OpWhqJUOyfHs2JsvncqOYmmzacRQUaizsstqX76SF5tSNW5BN1BGz3xIs3VqIkZ',
      '4qTp0pttI2Lrzanqk7tM9xjQn_SaSDKZMbwbm7wiZYdo7IvQ2JdtydQqML_Rd0DO7EMLWuoaYp4p8xvUphTRGVKzBRqN9uaBBzvTqMf1-WaN4SnzijrfU80Mf2aA0eW0OkNustkKtlMjbW18-BdhUtrwOoCMXSPs-HTVN5b66DrukjkHlfdGj5R4CNBb5b_VmFM2Hy7krPzlVQpBwbEW7G3MpKgu8HWFKFbIu_O0Gh94IiHYsZkq9Ui4lF6Jsjpn',
    ],
    [
      '0nD1YMLAZb5ubFEnl5_2fvNrt7KKIA-ww2MUV4TJzC5FbL17UPkiWXMSSBq6acXxsZcDTczQJn_JG0NhEuID43bQ4tYy-JuSMtURCsa2tIAmYM5MVT6ISj2qU-MQcr8EqpVBm33WarYH_IjDEIc6xFSFOmJSTmHpVeQD8ZC1Xx1QhD_CASU7JHRlfeCMakfBm15EKLXEtODPI6in5pLX4k0iRcBpSr4ZY0_I6LeSqP1JeTmbFsODxm1h2ZcMc1Y9',
      'z6wqPKu7zjz3XX3y-A7DI8yWezYVW0obPBflSxUHUAcSRhVSDaXe5QEPVg_ibCX0CazulFwmmN8D8do-CccyAb4F7v1KaeOwY4nPKPJp7loZxLCud4z6I7_VEEtgXPufHYmmszUiA32U48fEJAytdtziVKu4vDxqnjpjrleQic1Qn-J9gLx6SBjoED36WI_0U964atk0kAEGBjeGIfdhPHGAOMdHTTZDvU2WEZA307oqwTpunNojZD3sc9K3lbdR',
    ],
    [
      '4JbpvB1YBh8RiGPfYqjQXHLUYe1ZxW46yendBVpqy-dMccR7K_zip0IG_gR8moReGogvp3bdHtyonWA8SOwGiqHEUaOfUQcMnBkKrsIsC48jldPDQcWw2BDXWKMTpDgCNhVP_xuDveTkU_iOSIkP1mMfTuQNPE2gikJVol9z6XVuDUIt4a1WQfAcOnQbnqkNKe-VL9Lp8OP6cUq4GvuWySaFlpn1DLUxDhiqnWJWraszXmTbiBUl2ngmvXTbbyrf',
      'v0BSDmbXphZtZaiIVGy0cqV_5pOJ4zNAynf-hWgnrP9v7RvUv8KRkpyfZZ_fcHMcJ_XYfY7Av48gDjVfmvktatkgEhCip_fpZq6aO57eroU2QjG4BL8B33wM1KKZuLGlKThAgOyBvaUZQdVeKOo9PgCQn8OmmNxEY-Au_ao8REGbRTVfIceIvbyPusBVJ9gAnuINgdGflCS-CdeM3sqZXDXCXELVAwGpQwG0iGTijqiZz9UKY5vys8UovmNzMe9d',
    ],
  ],
};

const E = 65537n;

/** Selects a key of the pool as RSAPrivateKey (RFC 8017 A.1.2) in DER. `choice` selects the key and may be any number. */
export function pooledRsaKey(bits: keyof typeof POOL, choice: number): Uint8Array {
  const keys = POOL[bits];
  const [p, q] = keys[choice % keys.length] ?? ['', ''];
  return rsaPrivateKey(readNumber(decodeBase64url(p)), readNumber(decodeBase64url(q)));
}

/** Computes an RSAPrivateKey (RFC 8017 A.1.2) in DER from two primes, with the public exponent 65537. */
function rsaPrivateKey(p: bigint, q: bigint): Uint8Array {
  const d = inverse(E, (p - 1n) * (q - 1n));
  return sequence(...[0n, p * q, E, d, p, q, d % (p - 1n), d % (q - 1n), inverse(q, p)].map((value) => integer(value)));
}
