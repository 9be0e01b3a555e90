/** The coverage browser: country, then city or kind, then the groups that sell numbers there, with prices. */

import { Badge, Group, Paper, Select, SimpleGrid, Stack, Text, TextInput } from '@mantine/core';
import { lazy, Suspense } from 'react';
import {
  type Country,
  type DidGroup,
  type Many,
  type Resource,
  related,
  relatedMany,
  type Sku,
} from '../api/documents.ts';
import { useRead } from '../api/queries.ts';
import { pathWith } from '../api/routes.ts';
import { citySource } from '../parts/choices.ts';
import { column } from '../parts/columns.tsx';
import { showMoney, showWords } from '../parts/format.ts';
import { ButtonLink, RouteLink } from '../parts/links.tsx';
import type { ListColumn } from '../parts/list-rows.tsx';
import { useListSearch } from '../parts/list-search.ts';
import { Empty, Failure, Page, Waiting } from '../parts/page.tsx';
import { ResourceList } from '../parts/resource-list.tsx';

/** Its outlines are a file of their own, which other pages do not load. */
const WorldMap = lazy(async () => ({ default: (await import('../map/world-map.tsx')).WorldMap }));

export function Buy() {
  const [search, change] = useListSearch();
  const countries = useRead(pathWith('/v3/countries', { 'filter[is_available]': 'true', sort: 'name' }));
  const chosen = countries.data?.data.find(({ attributes }) => attributes.iso === search.country);
  return (
    <Page
      title="Buy numbers"
      about="Choose a country, then a place. A group has numbers of the same kind, price and abilities."
      actions={
        <ButtonLink to="/cart" variant="default">
          Cart
        </ButtonLink>
      }
    >
      {countries.error && <Failure error={countries.error} retry={() => countries.refetch()} />}
      {countries.isPending && <Waiting />}
      {countries.data && chosen && (
        <Select
          label="Country"
          searchable
          clearable
          maw={360}
          data={countries.data.data.map(({ attributes }) => ({
            value: attributes.iso,
            label: `${attributes.name} (+${attributes.prefix})`,
          }))}
          value={chosen.attributes.iso}
          onChange={(country) =>
            change({ country: country ?? undefined, 'city.id': undefined, q: undefined, page: undefined })
          }
        />
      )}
      {countries.data && !chosen && (
        <Countries countries={countries.data.data} text={String(search.q ?? '')} onText={(q) => change({ q })} />
      )}
      {chosen && <Groups country={chosen} />}
    </Page>
  );
}

interface CountriesProps {
  countries: readonly Country[];
  text: string;
  onText: (text: string) => void;
}

function Countries({ countries, text, onText }: CountriesProps) {
  const wanted = text.toLowerCase();
  const found = countries.filter(({ attributes: { name, iso, prefix } }) =>
    [name, iso, `+${prefix}`].some((each) => each.toLowerCase().includes(wanted)),
  );
  return (
    <Stack gap="sm">
      <TextInput
        label="Country"
        placeholder="Name, code or prefix"
        type="search"
        maw={360}
        value={text}
        onChange={({ currentTarget }) => onText(currentTarget.value)}
      />
      <Paper withBorder p="xs" visibleFrom="xs">
        <Suspense fallback={<div className="world" />}>
          <WorldMap countries={countries} found={new Set(found.map(({ attributes }) => attributes.iso))} />
        </Suspense>
      </Paper>
      <SimpleGrid cols={{ base: 1, xs: 2, md: 3, xl: 4 }} spacing="xs">
        {found.map(({ id, attributes }) => (
          <Paper key={id} withBorder px="md" py="xs">
            <Group justify="space-between" wrap="nowrap">
              <RouteLink to="/buy" search={{ country: attributes.iso }}>
                {attributes.name}
              </RouteLink>
              <Text size="sm" c="dimmed">
                +{attributes.prefix}
              </Text>
            </Group>
          </Paper>
        ))}
      </SimpleGrid>
      {found.length === 0 && <Empty title="No country matches" />}
    </Stack>
  );
}

const named = (document: Many<Resource<{ name: string }>> | undefined) =>
  (document?.data ?? []).map(({ id, attributes }) => ({ value: id, label: attributes.name }));

/** The groups of a country, by city and kind. */
function Groups({ country }: { country: Country }) {
  const kinds = useRead(pathWith('/v3/did_group_types'));
  return (
    <ResourceList
      name="groups"
      path={pathWith('/v3/did_groups')}
      fixed={{
        'filter[country.id]': country.id,
        'filter[is_available]': 'true',
        include: 'stock_keeping_units,did_group_type',
      }}
      columns={columns}
      defaultSort="area_name"
      search={{ label: 'Part of the place', type: 'did_groups' }}
      filters={[
        { name: 'city.id', label: 'City', source: citySource(country.id) },
        { name: 'did_group_type.id', label: 'Kind', options: named(kinds.data) },
      ]}
      empty={<Empty title="Nothing in stock">Choose another country; new numbers arrive all the time.</Empty>}
    />
  );
}

const offerOf = (document: Many<DidGroup>, group: DidGroup): Sku | undefined =>
  cheapest(relatedMany(document, group, 'stock_keeping_units'));

const columns: readonly ListColumn<DidGroup>[] = [
  column('place', 'Place', ({ attributes }) => attributes.area_name, {
    sort: 'area_name',
    cell: ({ id, attributes, meta }) => (
      <Group gap="xs">
        <RouteLink to="/buy/$id" params={{ id }}>
          {attributes.area_name}
        </RouteLink>
        {meta?.needs_registration && (
          <Badge size="sm" variant="light" color="yellow">
            paperwork
          </Badge>
        )}
      </Group>
    ),
  }),
  column('prefix', 'Prefix', ({ attributes }) => attributes.prefix, { sort: 'prefix', optional: true }),
  column('kind', 'Kind', (group, document) => related(document, group, 'did_group_type')?.attributes.name ?? '', {
    sort: 'did_group_type.name',
    secondary: true,
  }),
  column('features', 'Can do', ({ attributes }) => attributes.features.map(showWords).join(', '), { secondary: true }),
  column('stock', 'In stock', ({ meta }) => String(meta?.total_count ?? ''), {
    secondary: true,
    isNumber: true,
    cell: ({ meta }) => meta?.total_count.toLocaleString('en-GB'),
  }),
  column('price', 'From, a month', (group, document) => offerOf(document, group)?.attributes.monthly_price ?? '', {
    isNumber: true,
    cell: (group, document) => showMoney(offerOf(document, group)?.attributes.monthly_price ?? '0'),
  }),
];

/** The offer that costs least a month. */
export function cheapest(offers: readonly Sku[]): Sku | undefined {
  return [...offers].sort((a, b) => Number(a.attributes.monthly_price) - Number(b.attributes.monthly_price))[0];
}
