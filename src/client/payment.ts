import { isObject, type JsonObject } from '../kernel/json-value.js';
import type { Members } from './members.js';

/**
 * Input of the extension `payment` (Secure Payment Confirmation §5), which makes the client include the payment details in the signed data.
 */
interface Payment {
  /** Value of the member `payment` in the client data: CollectedClientAdditionalPaymentData. */
  readonly clientData: JsonObject;
  readonly rpId: string;
}

/**
 * Tests whether the options request Secure Payment Confirmation. Chromium's `parse…OptionsFromJSON` drops the extension `payment`, so it
 * can only come from `PaymentRequest` or from options written as an object. In the mode `browser`, only `isPayment: true` requests a
 * payment.
 *
 * @throws TypeError for an input of the wrong type, in the mode `strict`.
 */
export function asksForPayment(extensions: Members | undefined): boolean {
  if (extensions === undefined || !extensions.has('payment')) return false;
  if (extensions.mode === 'strict') return extensions.dictionary('payment').optionalBoolean('isPayment') ?? false;
  const { payment } = extensions.json;
  return isObject(payment) && payment['isPayment'] === true;
}

/**
 * Reads the payment details that an authentication signs; undefined if it is not for a payment.
 *
 * @param topOrigin top-level origin to use if the input has none.
 * @throws TypeError naming the member that is missing or of the wrong type.
 */
export function readPayment(extensions: Members | undefined, topOrigin: string): Payment | undefined {
  if (extensions === undefined || !asksForPayment(extensions)) return undefined;
  const payment = extensions.dictionary('payment');
  const total = payment.dictionary('total');
  const instrument = payment.dictionary('instrument');
  const rpId = payment.string('rpId');
  const logos = payment.optionalDictionaries('paymentEntitiesLogos');
  return {
    rpId,
    clientData: {
      rpId,
      topOrigin: payment.optionalString('topOrigin') ?? topOrigin,
      payeeName: payment.optionalString('payeeName'),
      payeeOrigin: payment.optionalString('payeeOrigin'),
      ...(logos.length > 0 && { paymentEntitiesLogos: logos.map((logo) => ({ url: logo.string('url'), label: logo.string('label') })) }),
      total: { currency: total.string('currency'), value: total.string('value') },
      instrument: {
        displayName: instrument.string('displayName'),
        icon: instrument.string('icon'),
        iconMustBeShown: instrument.optionalBoolean('iconMustBeShown') ?? true,
        details: instrument.optionalString('details'),
      },
    },
  };
}
