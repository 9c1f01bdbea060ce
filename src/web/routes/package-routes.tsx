/** The pages of packages and of videos. */
import * as z from 'zod';
import { clientGoneSignal } from '../../service/server/limits.ts';
import { PackagePage } from '../pages/package.tsx';
import { PackagesPage } from '../pages/packages.tsx';
import { SearchPage } from '../pages/search.tsx';
import { VideoPage } from '../pages/video.tsx';
import { createPackageView, packageQuery } from '../views/package-view.ts';
import { createPackagesView, packagesQuery } from '../views/packages-view.ts';
import { idParam } from '../views/query-params.ts';
import { createSearchView, searchQuery } from '../views/search-view.ts';
import type { Routing } from './routing.ts';

const packageParams = z.object({ account: z.string(), package: idParam });
const videoParams = packageParams.extend({ video: idParam });

export function addPackageRoutes({ options, frame, page }: Routing): void {
  const { config, details, clock } = options;
  const unit = config.durationUnit;
  page('/packages', async ({ query }) => {
    const view = await createPackagesView(options, packagesQuery.parse(query), clock.now());
    return <PackagesPage {...frame} view={view} unit={unit} />;
  });
  page('/packages/:account/:package', async (request, reply) => {
    const params = packageParams.safeParse(request.params);
    if (!params.success) return null;
    const key = { account: params.data.account, packageId: params.data.package };
    const signal = clientGoneSignal(request, reply);
    const query = packageQuery.parse(request.query);
    const view = await createPackageView(options, key, query, { now: clock.now(), signal });
    return view && <PackagePage {...frame} view={view} unit={unit} />;
  });
  page('/videos', async (request, reply) => {
    const signal = clientGoneSignal(request, reply);
    const view = await createSearchView(options, searchQuery.parse(request.query), signal);
    return <SearchPage {...frame} view={view} unit={unit} />;
  });
  page('/videos/:account/:package/:video', async ({ params: raw }) => {
    const params = videoParams.safeParse(raw);
    if (!params.success) return null;
    const key = { account: params.data.account, packageId: params.data.package };
    const states = details.video(key, params.data.video);
    const packageName = details.package(key)?.name ?? null;
    return states && <VideoPage {...frame} {...states} packageName={packageName} unit={unit} />;
  });
}
