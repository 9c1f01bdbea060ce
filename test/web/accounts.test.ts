import { describe, expect, it } from 'vitest';
import { execute } from '../support/fixtures/live-file.ts';
import { onlyMain } from '../support/servers/open-pages.ts';
import {
  configToServe,
  DAYS,
  fetchResponse,
  fetchStorage,
  fetchVideos,
  liveFileToServe,
  MAIN,
  openSite,
  openSiteOver,
  VIDEOS,
} from '../support/servers/open-web-server.ts';

describe('the accounts', () => {
  it('are selected by /accounts/NAME where they have a package with the same id', async () => {
    const { url } = await openSite();
    expect((await fetchVideos(`${url}/accounts/main${VIDEOS}?pkg=101`)).ids).toEqual([2, 1]);
    expect((await fetchVideos(`${url}/accounts/other${VIDEOS}?pkg=101`)).ids).toEqual([5, 4, 3]);
    expect(await fetchVideos(`${url}${VIDEOS}?pkg=101`)).toEqual({
      errorCode: 'PackageAmbiguous',
      errorMessage:
        'accounts main, other have package 101; put /accounts/NAME before the path, as in /accounts/main',
      ids: [],
    });
  });

  it('need no name for a package that only one of them has', async () => {
    const { url } = await openSite();
    expect((await fetchVideos(`${url}${VIDEOS}?pkg=7`)).ids).toEqual([6]);
    expect((await fetchVideos(`${url}/accounts/alone${VIDEOS}?pkg=7`)).ids).toEqual([6]);
    expect((await fetchVideos(`${url}/accounts/main${VIDEOS}?pkg=7`)).errorCode).toBe('PackageNotFound');
  });

  it('are selected by /accounts/NAME for their storage', async () => {
    const { url } = await openSite();
    const success = (bytes: number) => ({ message: 'success', days: [['2026-03-08', bytes]] });
    expect(await fetchStorage(`${url}/accounts/main${DAYS}`)).toEqual(success(1_000));
    expect(await fetchStorage(`${url}/accounts/other${DAYS}`)).toEqual(success(2_000));
    expect(await fetchStorage(`${url}${DAYS}`)).toEqual({
      message: 'accounts main, other have storage; put /accounts/NAME before the path, as in /accounts/main',
      days: [],
    });
    expect(await fetchStorage(`${url}/accounts/alone${DAYS}`)).toEqual({
      message: 'account alone has no storage in the config',
      days: [],
    });
  });

  it('are those of the config, by their full name', async () => {
    const { url } = await openSite();
    for (const name of ['nobody', 'MAIN', 'mai', '', 'main/other', ':name', '*']) {
      expect([name, (await fetchResponse(`${url}/accounts/${name}${VIDEOS}?pkg=101`)).status]).toEqual([
        name,
        404,
      ]);
    }
  });
});

describe('a package', () => {
  it('is not ready before a walk of it ended, or a run included it', async () => {
    const { url } = await openSite();
    for (const pkg of [102, 103]) {
      for (const order of ['', '&sort_item=title', '&search_item=title&keyword=main']) {
        expect(await fetchVideos(`${url}${VIDEOS}?pkg=${pkg}${order}`)).toEqual({
          errorCode: 'PackageNotReady',
          errorMessage: `package ${pkg} of account main has not been read completely since it came into the config`,
          ids: [],
        });
      }
    }
  });

  it('is not ready after it left the config, nor when it is back, before a walk has read it again', async () => {
    const live = liveFileToServe();
    const config = configToServe(live);
    const accounts = onlyMain([{ id: 500, name: null }])(config.accounts);
    const { url } = await openSiteOver({ ...config, accounts });
    const readMessage = async () => (await fetchVideos(`${url}${VIDEOS}?pkg=500`)).errorMessage;
    expect(await readMessage()).toBe(
      'package 500 of account main left the config, and has not been read since',
    );
    execute(live, 'update package set retired_at = null, walked_at = null where package_id = 500');
    expect(await readMessage()).toBe(
      'package 500 of account main has not been read completely since it came into the config',
    );
  });

  it('does not exist where the config has none with its id, whatever the file contains', async () => {
    const { url } = await openSite();
    for (const pkg of [500, 999]) {
      expect(await fetchVideos(`${url}${VIDEOS}?pkg=${pkg}`)).toEqual({
        errorCode: 'PackageNotFound',
        errorMessage: `there is no package ${pkg}`,
        ids: [],
      });
    }
  });

  it('is as old as its last full walk', async () => {
    const { url } = await openSite();
    expect((await fetchResponse(`${url}${VIDEOS}?pkg=104`)).headers.get('age')).toBe('1800');
    expect((await fetchResponse(`${url}${MAIN}${DAYS}`)).headers.get('age')).toBe('1800');
    expect((await fetchResponse(`${url}${VIDEOS}?pkg=102`)).headers.has('age')).toBe(false);
  });
});
