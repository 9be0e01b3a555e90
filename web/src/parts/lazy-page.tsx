/**
 * Pages that are loaded when they are opened. While the server restarts, or after it has come back with another version
 * of the panel, the file of a page may not be there: the address stays, the page says so, and opens as soon as it can.
 */
import { Alert, Button, Group, Loader, Text } from '@mantine/core';
import type { AsyncRouteComponent, ErrorComponentProps } from '@tanstack/react-router';
import { createElement, type FunctionComponent, use, useEffect } from 'react';
import { reach } from '../api/request.ts';
import { Failure, Page } from './page.tsx';

/** The file of a page could not be loaded. */
class NotLoaded extends Error {
  /** Whether another attempt has loaded it. */
  readonly again: () => Promise<boolean>;

  constructor(again: () => Promise<boolean>) {
    super('The page could not be loaded.');
    this.again = again;
  }
}

export function lazyPage<K extends string>(
  load: () => Promise<Record<K, FunctionComponent>>,
  name: K,
): AsyncRouteComponent<object> {
  let loading: Promise<void> | undefined;
  let component: FunctionComponent | undefined;
  let failure: NotLoaded | undefined;
  const preload = (): Promise<void> => {
    if (component !== undefined) return Promise.resolve();
    failure = undefined;
    loading ??= load()
      .then((module) => {
        component = module[name];
      })
      // A link that is only pointed at loads its page in advance; only who opens the page is told.
      .catch(() => {
        failure = new NotLoaded(() => preload().then(() => component !== undefined));
      })
      .finally(() => {
        loading = undefined;
      });
    return loading;
  };
  const LazyPage = () => {
    if (failure !== undefined) throw failure;
    if (component === undefined) use(loading ?? preload());
    return component === undefined ? null : createElement(component);
  };
  return Object.assign(LazyPage, { preload });
}

const retryMs = 2_000;

/** The script that the server's page begins with now; its name changes with every version of the panel. */
async function currentEntry(): Promise<string | undefined> {
  const response = await reach('GET', '/', { cache: 'no-store' });
  if (!response.ok) return undefined;
  return fileName(/<script type="module"[^>]*src="([^"]+)"/.exec(await response.text())?.[1]);
}

const ownEntry = () => fileName(document.querySelector('script[type="module"]')?.getAttribute('src'));
const fileName = (address: string | null | undefined) => address?.split('/').at(-1);

/** A page whose file is missing for good is not loaded again and again. */
function reloadOnce(entry: string): void {
  const [key, tried] = ['trunkline.reloaded', `${entry} ${window.location.pathname}`];
  if (sessionStorage.getItem(key) === tried) return;
  sessionStorage.setItem(key, tried);
  window.location.reload();
}

export function PageError({ error, reset }: ErrorComponentProps) {
  if (error instanceof NotLoaded) return <LoadAgain error={error} reset={reset} />;
  return (
    <Page title="This page cannot be shown">
      <Failure
        error={error instanceof Error ? error : new Error(String(error))}
        retry={() => window.location.reload()}
      />
    </Page>
  );
}

function LoadAgain({ error, reset }: { error: NotLoaded; reset: () => void }) {
  useEffect(() => {
    const attempt = async () => {
      const entry = await currentEntry().catch(() => undefined);
      if (entry === undefined) return;
      // Another version has other files; and some browsers remember that a file could not be loaded.
      if (entry === ownEntry() && (await error.again())) reset();
      else reloadOnce(entry);
    };
    const timer = window.setInterval(attempt, retryMs);
    return () => window.clearInterval(timer);
  }, [error, reset]);
  return (
    <Page title="One moment">
      <Alert color="yellow" variant="light" role="status" title="The page could not be loaded">
        <Group justify="space-between">
          <Text size="sm">
            The server may be restarting, or your connection is gone. The page opens by itself as soon as it is back.
          </Text>
          <Loader size="sm" aria-label="Loading" />
          <Button size="xs" variant="default" onClick={() => window.location.reload()}>
            Load it now
          </Button>
        </Group>
      </Alert>
    </Page>
  );
}
