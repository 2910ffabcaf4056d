// client.js HOST:PORT RUN: the steps of run-all.sh with kafkajs.
const { Kafka, logLevel } = require('kafkajs');

const [, , bootstrap, run] = process.argv;
const topic = `kafkajs-${run}`;
const kafka = new Kafka({ clientId: 'check', brokers: [bootstrap], logLevel: logLevel.NOTHING });
const deadlineMs = 30000;
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
  const consumer = kafka.consumer({ groupId: group, readUncommitted: false, sessionTimeout: 10000 });
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

const main = async () => {
  const admin = kafka.admin();
  const producer = kafka.producer();
  await step('create topic', true, async () => {
    await admin.connect();
    return admin.createTopics({ topics: [{ topic, numPartitions: 1 }, { topic: `${topic}-out`, numPartitions: 1 }] });
  });
  await step('produce', [0], async () => {
    await producer.connect();
    const sent = await producer.send({ topic, messages: ['a', 'b', 'c'].map((value) => ({ value })) });
    return sent.map((s) => s.errorCode);
  });
  await step('consume by group, commit', ['a', 'b', 'c'], () => read(`g-${topic}`, topic, 3));
  await step('committed offsets', '3', async () => {
    const fetched = await admin.fetchOffsets({ groupId: `g-${topic}`, topics: [topic] });
    return fetched[0].partitions[0].offset;
  });
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
    const fetched = await admin.fetchOffsets({ groupId: `x-${topic}`, topics: [topic] });
    return fetched[0].partitions[0].offset;
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
