import { describe, expect, it } from 'vitest';
import { AWKWARD_KEY, formsIn, formsOfKey } from '../../support/fixtures/awkward-key.ts';
import {
  accountAt,
  createTestClient,
  catchFailure,
  JANUARY,
  pageRequest,
} from '../../support/fixtures/service-client.ts';
import { startScriptedService, type Reply } from '../../support/servers/scripted-service.ts';
import { listBody, listRefusal, STORAGE, storageBody } from '../../support/fixtures/service-responses.ts';

const ONCE = { retry: { attempts: 1, baseMs: 1, capMs: 1 }, deadlineMs: 300 };
const forms = Object.entries(formsOfKey(AWKWARD_KEY));

/** Everything that an error could reveal. */
function formatEverything(error: Error): string {
  const { name, message, stack, cause, ...others } = error as Error & Record<string, unknown>;
  return [name, message, stack, JSON.stringify(others), String(cause)].join('\n');
}

/** The failure of a page with this response, after a check that it does not contain the key. */
async function expectFailureWithoutKey(reply: Reply): Promise<Error> {
  const { client } = await createTestClient(() => reply, ONCE);
  const error = await catchFailure(client.videoPage(pageRequest()));
  expect(formsIn(formatEverything(error), AWKWARD_KEY)).toEqual([]);
  return error;
}

describe('the key is in no error', () => {
  it('when the service echoes it in errorMessage and errorCode', async () => {
    const error = await expectFailureWithoutKey(
      listRefusal(`No:${AWKWARD_KEY}`, `the key ${AWKWARD_KEY} is wrong`),
    );
    expect(error.message).toContain('the key [key] is wrong');
    for (const [, form] of forms)
      await expectFailureWithoutKey(listRefusal('No', `see ?key=${form}&pkg=101`));
  });

  it('when the service echoes it in the message of the storage statistics', async () => {
    const { client } = await createTestClient(() => ({ body: storageBody([], `no ${AWKWARD_KEY}`) }), ONCE);
    const error = await catchFailure(client.storageDays(JANUARY));
    expect(formsIn(formatEverything(error), AWKWARD_KEY)).toEqual([]);
    expect(error.message).toContain('[key]');
  });

  it.each([200, 401, 404, 429, 500, 503])(
    'when the service echoes it in an HTML page with status %i',
    async (status) => {
      for (const [, form] of forms) {
        await expectFailureWithoutKey({ status, body: `<html><p>no <a href="?key=${form}">${form}</a></p>` });
      }
    },
  );

  it.each(forms)('when the service redirects to an address with it (%s)', async (_, form) => {
    for (const location of [
      `/login?key=${form}`,
      `https://elsewhere.test/${form}?key=${form}#${form}`,
      form,
    ]) {
      await expectFailureWithoutKey({
        status: 302,
        headers: { location: Buffer.from(location).toString('latin1') },
      });
    }
  });

  it('when the service puts it where a number belongs', async () => {
    await expectFailureWithoutKey({ body: listBody({ totalcount: AWKWARD_KEY }) });
    await expectFailureWithoutKey({ body: listBody({ page: [AWKWARD_KEY] }) });
  });

  it('nor half of it, where a long message is truncated', async () => {
    const errorText = (page: number) => `${'x'.repeat(page)}${AWKWARD_KEY}${'y'.repeat(400)}`;
    const { client } = await createTestClient(({ path, query, number }) => {
      if (path === STORAGE) return { body: storageBody([], errorText(number % 320)) };
      const page = Number(query.get('page'));
      return number % 2 === 0 ? listRefusal('No', errorText(page)) : { status: 500, body: errorText(page) };
    }, ONCE);
    for (let page = 1; page <= 320; page++) {
      for (const send of [() => client.videoPage(pageRequest(page)), () => client.storageDays(JANUARY)]) {
        const { message } = await catchFailure(send());
        expect(message).not.toMatch(/xk|k\/e/);
        expect(message.length).toBeLessThan(400);
      }
    }
  }, 30_000);

  it('when the response is incomplete or missing', async () => {
    for (const reply of [
      'drop',
      'hang',
      { body: '{"key":"' },
      { drip: AWKWARD_KEY, everyMs: 10 },
    ] satisfies Reply[]) {
      await expectFailureWithoutKey(reply);
    }
    const closed = await startScriptedService(() => 'drop');
    await closed.close();
    const { client } = await createTestClient(() => 'drop', { ...ONCE, account: accountAt(closed.url) });
    expect(
      formsIn(formatEverything(await catchFailure(client.videoPage(pageRequest()))), AWKWARD_KEY),
    ).toEqual([]);
  });

  it('when it is invalid in a header', async () => {
    const key = 'ключ 🔑';
    const service = await startScriptedService(() => 'drop');
    const account = accountAt(service.url);
    const storage = { baseUrl: service.url, auth: { header: 'x-api-key' }, key };
    const { client } = await createTestClient(() => 'drop', { ...ONCE, account: { ...account, storage } });
    const error = await catchFailure(client.storageDays(JANUARY));
    expect(formsIn(formatEverything(error), key)).toEqual([]);
  });
});
