/** The floor of the server: the same framework with one fixed response, sent by the parent. Started by `fork`. */
import { fastify } from 'fastify';

const app = fastify();
process.once('message', async ({ text }) => {
  const body = Buffer.from(text);
  app.get('/*', async (_request, reply) => reply.type('application/json; charset=utf-8').send(body));
  process.send({ url: await app.listen({ host: '127.0.0.1', port: 0 }) });
});
process.on('disconnect', () => process.exit());
process.send('ready');
