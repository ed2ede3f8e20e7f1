// One scenario with stripe-node as its users have it, against the API at
// CHARGEONCE_URL. Prints what came of it as one line of JSON; the test judges.
'use strict';

const path = require('node:path');
const module_ = require(path.join(process.env.CHARGEONCE_NODE_MODULES, 'stripe'));
const Stripe = module_.default ?? module_; // a class in some releases, a module in others

const target = new URL(process.env.CHARGEONCE_URL);
const stripe = new Stripe('sk_test_node', {
  host: target.hostname,
  port: target.port,
  protocol: 'http',
  telemetry: false,
});

const order = { amount: 5000, currency: 'eur', source: 'tok_visa' };
const once = (idempotencyKey) => ({ idempotencyKey });

// failure runs what must fail, and keeps what a program would look at.
async function failure(call) {
  try {
    return { passed: await call() };
  } catch (e) {
    return {
      name: e.constructor.name,
      type: e.rawType,
      code: e.code,
      decline: e.decline_code,
      param: e.param,
      status: e.statusCode,
      charge: e.charge,
      intent: e.payment_intent?.status,
    };
  }
}

const scenarios = {
  // Everything that goes right, and a declined card.
  async shop() {
    const charge = await stripe.charges.create({ ...order, metadata: { order: '7' } });
    const refund = await stripe.refunds.create({ charge: charge.id, amount: 2000 });
    const declined = await failure(() => stripe.charges.create({ ...order, source: 'tok_chargeDeclined' }));
    const confirmed = { amount: 5000, currency: 'eur', confirm: true };
    const intent = await stripe.paymentIntents.create({ ...confirmed, payment_method: 'pm_card_visa' });
    const refused = await failure(() => stripe.paymentIntents.create({ ...confirmed, payment_method: 'pm_card_chargeDeclined' }));
    const listed = [];
    for await (const each of stripe.charges.list({ limit: 2 })) listed.push(each.status); // pages by itself
    const balance = await stripe.balance.retrieve();
    return { charge, refund, declined, intent, refused, listed, available: balance.available };
  },

  // One charge under a key that the SDK mints; the test has armed the network.
  async lost() {
    const charge = await stripe.charges.create(order);
    return { id: charge.id, replayed: charge.lastResponse.headers['idempotent-replayed'] ?? '' };
  },

  async reused() {
    await stripe.charges.create(order, once('order-1'));
    return failure(() => stripe.charges.create({ ...order, amount: 8000 }, once('order-1')));
  },

  async crowd() {
    const charges = await Promise.all(Array.from({ length: 12 }, () => stripe.charges.create(order, once('crowd'))));
    return [...new Set(charges.map((charge) => charge.id))];
  },

  // A delivery, as it came, on stdin.
  async webhook() {
    const { body, signature, secret } = JSON.parse(require('node:fs').readFileSync(0, 'utf8'));
    const forged = await failure(() => stripe.webhooks.constructEvent(body.replace('5000', '5001'), signature, secret));
    const event = stripe.webhooks.constructEvent(body, signature, secret);
    return { type: event.type, charge: event.data.object.id, forged: forged.name };
  },
};

scenarios[process.argv[2]]().then(
  (result) => console.log(JSON.stringify(result)),
  (e) => {
    console.error(e);
    process.exitCode = 1;
  },
);
