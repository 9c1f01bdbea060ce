/** The pages of packages, of videos, and the list of videos and changes. */
import * as z from 'zod';
import { clientGoneSignal } from '../../service/server/limits.ts';
import { ChangesPage } from '../pages/changes.tsx';
import { PackagePage } from '../pages/package.tsx';
import { PackagesPage } from '../pages/packages.tsx';
import { VideoPage } from '../pages/video.tsx';
import { createListView, listQuery } from '../views/list-view.ts';
import { createPackageView } from '../views/package-view.ts';
import { createPackagesView, packagesQuery } from '../views/packages-view.ts';
import { idParam } from '../views/query-params.ts';
import type { Routing } from './routing.ts';

const packageParams = z.object({ account: z.string(), package: idParam });
const videoParams = packageParams.extend({ video: idParam });

export function addPackageRoutes({ options, frame, page, download }: Routing): void {
  const { config, details, clock } = options;
  const choices = config.accounts.flatMap(({ name: account, packages }) =>
    packages.map(({ id, name }) => ({ key: `${account}/${id}`, name: name ?? `${account}/${id}` })),
  );
  page('/changes', async (request, reply) => {
    const asked = { now: clock.now(), signal: clientGoneSignal(reply) };
    const view = await createListView(options, listQuery.parse(request.query), asked);
    return <ChangesPage {...frame} view={view} packages={choices} />;
  });
  page('/packages', async ({ query }) => {
    const view = await createPackagesView(options, packagesQuery.parse(query), clock.now());
    return <PackagesPage {...frame} view={view} unit={config.durationUnit} />;
  });
  page('/packages/:account/:package', async (request, reply) => {
    const params = packageParams.safeParse(request.params);
    if (!params.success) return null;
    const key = { account: params.data.account, package_id: params.data.package };
    const asked = { now: clock.now(), signal: clientGoneSignal(reply) };
    const view = await createPackageView(options, key, listQuery.parse(request.query), asked);
    return view && <PackagePage {...frame} view={view} />;
  });
  // an address of earlier versions
  download('/videos', async ({ url }) => ({
    seeOther: `/changes${new URL(url, 'http://localhost').search}`,
  }));
  page('/videos/:account/:package/:video', async ({ params: raw }) => {
    const params = videoParams.safeParse(raw);
    if (!params.success) return null;
    const key = { account: params.data.account, packageId: params.data.package };
    const states = details.video(key, params.data.video);
    const packageName = details.package(key)?.name ?? null;
    return (
      states && <VideoPage {...frame} {...states} packageName={packageName} unit={config.durationUnit} />
    );
  });
}
