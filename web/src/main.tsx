/** The panel's entry. */
import { localStorageColorSchemeManager, MantineProvider } from '@mantine/core';
import '@fontsource-variable/geist';
import '@fontsource-variable/geist-mono';
import '@mantine/core/styles.css';
import '@mantine/spotlight/styles.css';
import './styles.css';
import { QueryClientProvider } from '@tanstack/react-query';
import { RouterProvider } from '@tanstack/react-router';
import { StrictMode } from 'react';
import { createRoot } from 'react-dom/client';
import { queryClient } from './api/queries.ts';
import { router } from './router.tsx';
import { readableColors, theme } from './theme.ts';

const colorSchemeManager = localStorageColorSchemeManager({ key: 'trunkline.colours' });

const place = document.getElementById('root');
if (place === null) throw new Error('the page has no place for the panel');
createRoot(place).render(
  <StrictMode>
    <MantineProvider
      theme={theme}
      cssVariablesResolver={readableColors}
      defaultColorScheme="auto"
      colorSchemeManager={colorSchemeManager}
    >
      <QueryClientProvider client={queryClient}>
        <RouterProvider router={router} />
      </QueryClientProvider>
    </MantineProvider>
  </StrictMode>,
);
