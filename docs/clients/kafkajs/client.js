// client.js HOST:PORT RUN: the steps of run-all.sh with kafkajs.
const { Kafka, logLevel } = require('kafkajs');

const [, , bootstrap, run] = process.argv;
const topic = `kafkajs-${run}`;
const kafka = new Kafka({ clientId: 'check', brokers: [bootstrap], logLevel: logLevel.NOTHING });
const deadlineMs = 30000;
// A consumer that leaves waits for its last answer, one that is to rebalance hears of it by heartbeat.
const quick = { sessionTimeout: 10000, heartbeatInterval: 300, maxWaitTimeInMs: 200 };
let failed = false;

const step = async (name, expected, action) => {
  let actual;
  try {
    actual = await Promise.race([
      action(),
      new Promise((_, reject) => setTimeout(() => reject(new Error('too slow')), 2 * deadlineMs)),
    ]);
  } catch (error) {
    actual = String(error);
  }
  const same = JSON.stringify(actual) === JSON.stringify(expected);
  failed = failed || !same;
  console.log(
    same
      ? `ok       kafkajs     ${name}`
      : `FAILED   kafkajs     ${name}: expected ${JSON.stringify(expected)}, got ${JSON.stringify(actual)}`,
  );
};

// Values of the topic as a group reads them, until there are as many as asked for and a bit longer.
const read = async (group, from, count) => {
  const consumer = kafka.consumer({ groupId: group, readUncommitted: false, ...quick });
  await consumer.connect();
  await consumer.subscribe({ topics: [from], fromBeginning: true });
  const values = [];
  await new Promise((resolve, reject) => {
    const timer = setTimeout(resolve, deadlineMs);
    consumer
      .run({
        eachMessage: async ({ message }) => {
          values.push(message.value.toString());
          if (values.length === count) {
            clearTimeout(timer);
            setTimeout(resolve, 1000);
          }
        },
      })
      .catch(reject);
  });
  const offsets = values.length;
  await consumer.commitOffsets([{ topic: from, partition: 0, offset: String(offsets) }]);
  await consumer.disconnect();
  return values;
};

// Somebody who stays in the group: what it holds and what it has read.
const member = async (group, from) => {
  const consumer = kafka.consumer({ groupId: group, ...quick });
  const self = { held: -1, values: [], leave: () => consumer.disconnect() };
  consumer.on(consumer.events.GROUP_JOIN, ({ payload }) => {
    self.held = (payload.memberAssignment[from] ?? []).length;
  });
  await consumer.connect();
  await consumer.subscribe({ topics: [from], fromBeginning: true });
  await consumer.run({
    autoCommitThreshold: 1,
    eachMessage: async ({ message }) => self.values.push(message.value.toString()),
  });
  return self;
};

const until = async (condition) => {
  while (!condition()) {
    await new Promise((resolve) => setTimeout(resolve, 20));
  }
};

// One member, two, one again; answers who read what.
const share = async (group, from, producer) => {
  const produce = (value) =>
    producer.send({ topic: from, messages: [0, 1].map((partition) => ({ value, partition })) });
  await produce('first');
  const leaver = await member(group, from);
  await until(() => leaver.held === 2 && leaver.values.length === 2);
  const stayer = await member(group, from);
  await until(() => leaver.held === 1 && stayer.held === 1);
  await produce('second');
  await until(() => leaver.values.length + stayer.values.length === 4);
  await leaver.leave();
  await until(() => stayer.held === 2);
  await produce('third');
  await until(() => stayer.values.length === 3);
  await stayer.leave();
  return [leaver.values, stayer.values];
};

const main = async () => {
  const admin = kafka.admin();
  const producer = kafka.producer();
  await step('create topic', true, async () => {
    await admin.connect();
    return admin.createTopics({
      topics: [
        { topic, numPartitions: 1 },
        { topic: `${topic}-out`, numPartitions: 1 },
        { topic: `${topic}-shared`, numPartitions: 2 },
      ],
    });
  });
  await step('produce', [0], async () => {
    await producer.connect();
    const sent = await producer.send({ topic, messages: ['a', 'b', 'c'].map((value) => ({ value })) });
    return sent.map((s) => s.errorCode);
  });
  await step('consume by group, commit', ['a', 'b', 'c'], () => read(`g-${topic}`, topic, 3));
  // Once it is as expected: Apache Kafka answers the end of a transaction before it shows.
  const committed = async (group, expected) => {
    const end = Date.now() + 5000;
    while (true) {
      const fetched = await admin.fetchOffsets({ groupId: group, topics: [topic] });
      const offset = fetched[0].partitions[0].offset;
      if (offset === expected || Date.now() > end) {
        return offset;
      }
    }
  };
  await step('committed offsets', '3', () => committed(`g-${topic}`, '3'));
  await step(
    'two members share, one goes on',
    [['first', 'first', 'second'], ['second', 'third', 'third']],
    () => share(`r-${topic}`, `${topic}-shared`, producer),
  );
  const transactional = kafka.producer({
    transactionalId: `t-${topic}`,
    idempotent: true,
    maxInFlightRequests: 1,
  });
  const transact = async (value, offset, commit) => {
    const transaction = await transactional.transaction();
    await transaction.send({ topic: `${topic}-out`, messages: [{ value }] });
    await transaction.sendOffsets({
      consumerGroupId: `x-${topic}`,
      topics: [{ topic, partitions: [{ partition: 0, offset }] }],
    });
    await (commit ? transaction.commit() : transaction.abort());
    return committed(`x-${topic}`, commit ? offset : '-1');
  };
  await step('transaction aborted, offsets unmoved', '-1', async () => {
    await transactional.connect();
    return transact('aborted', '1', false);
  });
  await step('transaction committed, offsets moved', '2', () => transact('committed', '2', true));
  await step('read_committed sees the committed only', ['committed'], () =>
    read(`v-${topic}`, `${topic}-out`, 1));
  await step('delete group', [0], async () => {
    const deleted = await admin.deleteGroups([`g-${topic}`]);
    return deleted.map((d) => d.errorCode ?? 0);
  });
  await Promise.allSettled([producer.disconnect(), transactional.disconnect(), admin.disconnect()]);
  process.exit(failed ? 1 : 0);
};

main();
