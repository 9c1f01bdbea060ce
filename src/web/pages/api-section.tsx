/** The two operations that the server answers, with lines to copy. */
import { STORAGE_PATH } from '../../service/storage.ts';
import { VIDEO_LIST_PATH } from '../../service/videos.ts';
import { Section } from './section.tsx';
import { Table } from './table.tsx';

export interface ApiAccount {
  name: string;
  /** One of its packages; null: it has none. */
  packageId: number | null;
  hasStorage: boolean;
}

export interface ApiProps {
  /** Of this server as the browser sees it, without a slash at the end. */
  origin: string;
  needsKey: boolean;
  accounts: readonly ApiAccount[];
  /** The days of storage that are asked for, `YYYY-MM-DD`. */
  from: string;
  to: string;
}

/** Accounts whose lines are shown. */
const MOST = 20;

export function ApiSection({ origin, needsKey, accounts, from, to }: ApiProps) {
  const key = needsKey ? " -H 'authorization: Bearer KEY'" : '';
  return (
    <Section name="operations" heading="API mirror">
      <p>
        Both operations of the service, answered from the warehouse: a script gets the same answers, and
        spends no request of the budget. {needsKey && 'KEY is one of server.keys. '}
        The description for generated clients: <a href="/openapi.json">openapi.json</a>
      </p>
      <Table label={{ by: 'operations-heading' }} head={['Account', 'Line to copy']}>
        {accounts.slice(0, MOST).flatMap(({ name, packageId, hasStorage }) => {
          const base = `${origin}${accounts.length > 1 ? `/accounts/${encodeURIComponent(name)}` : ''}`;
          return [
            ...(packageId === null ? [] : [`${base}${VIDEO_LIST_PATH}?pkg=${packageId}&pagesize=50`]),
            ...(hasStorage ? [`${base}${STORAGE_PATH}?sdate=${from}&edate=${to}`] : []),
          ].map((address) => (
            <tr key={address}>
              <th scope="row">{name}</th>
              <td class="text">
                <code data-copy>
                  <bdi>{`curl${key} '${address}'`}</bdi>
                </code>
              </td>
            </tr>
          ));
        })}
      </Table>
      {accounts.length > MOST && <p class="soft">The other accounts: /accounts/NAME in the same way.</p>}
    </Section>
  );
}
