/** The coverage browser: country, then city or kind, then the groups that sell numbers there, with prices. */
import { Badge, Group, Paper, Select, SimpleGrid, Stack, Table, Text, TextInput } from '@mantine/core';
import { lazy, Suspense } from 'react';
import {
  type Country,
  type DidGroup,
  type Many,
  type Named,
  related,
  relatedMany,
  type Sku,
} from '../api/documents.ts';
import { pathWith, useRead } from '../api/queries.ts';
import { showMoney, showWords } from '../parts/format.ts';
import { ButtonLink, RouteLink } from '../parts/links.tsx';
import { useListSearch } from '../parts/list-search.ts';
import { Empty, Failure, Page, Waiting } from '../parts/page.tsx';

/** Its outlines are a file of their own, which other pages do not load. */
const WorldMap = lazy(async () => ({ default: (await import('../map/world-map.tsx')).WorldMap }));

export function Buy() {
  const [search, change] = useListSearch();
  const countries = useRead<Many<Country>>(pathWith('/v3/countries', { 'filter[is_available]': 'true', sort: 'name' }));
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
          onChange={(country) => change({ country: country ?? undefined, city: undefined, kind: undefined })}
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

function Groups({ country }: { country: Country }) {
  const [search, change] = useListSearch();
  const cities = useRead<Many<Named>>(
    pathWith('/v3/cities', {
      'filter[country.id]': country.id,
      'filter[is_available]': 'true',
      sort: 'name',
      'page[size]': 100,
    }),
  );
  const kinds = useRead<Many<Named>>('/v3/did_group_types');
  const groups = useRead<Many<DidGroup>>(
    pathWith('/v3/did_groups', {
      'filter[country.id]': country.id,
      'filter[is_available]': 'true',
      'filter[city.id]': search.city,
      'filter[did_group_type.id]': search.kind,
      include: 'stock_keeping_units,did_group_type',
      sort: 'area_name',
      'page[size]': 50,
    }),
  );
  const named = (document: Many<Named> | undefined) =>
    (document?.data ?? []).map(({ id, attributes }) => ({ value: id, label: attributes.name }));
  return (
    <Stack gap="sm">
      <Group align="flex-end">
        <Select
          label="City"
          placeholder="Any"
          searchable
          clearable
          w={{ base: '100%', xs: 220 }}
          data={named(cities.data)}
          value={search.city === undefined ? null : String(search.city)}
          onChange={(city) => change({ city: city ?? undefined })}
        />
        <Select
          label="Kind"
          placeholder="Any"
          clearable
          w={{ base: '100%', xs: 180 }}
          data={named(kinds.data)}
          value={search.kind === undefined ? null : String(search.kind)}
          onChange={(kind) => change({ kind: kind ?? undefined })}
        />
      </Group>
      {groups.error && <Failure error={groups.error} retry={() => groups.refetch()} />}
      {groups.isPending && <Waiting />}
      {groups.data?.data.length === 0 && (
        <Empty title="Nothing in stock">Choose another city or kind; new numbers arrive all the time.</Empty>
      )}
      {groups.data && groups.data.data.length > 0 && <GroupTable document={groups.data} />}
    </Stack>
  );
}

/** The offer that costs least a month. */
export function cheapest(offers: readonly Sku[]): Sku | undefined {
  return [...offers].sort((a, b) => Number(a.attributes.monthly_price) - Number(b.attributes.monthly_price))[0];
}

function GroupTable({ document }: { document: Many<DidGroup> }) {
  return (
    <Paper withBorder>
      <Table aria-label="Groups" verticalSpacing="sm" highlightOnHover>
        <Table.Thead>
          <Table.Tr>
            <Table.Th>Place</Table.Th>
            <Table.Th visibleFrom="sm">Kind</Table.Th>
            <Table.Th visibleFrom="md">Can do</Table.Th>
            <Table.Th ta="right" visibleFrom="sm">
              In stock
            </Table.Th>
            <Table.Th ta="right">From, a month</Table.Th>
          </Table.Tr>
        </Table.Thead>
        <Table.Tbody>
          {document.data.map((group) => {
            const offer = cheapest(relatedMany<Sku['attributes']>(document, group, 'stock_keeping_units'));
            const kind = related<Named['attributes']>(document, group, 'did_group_type');
            return (
              <Table.Tr key={group.id}>
                <Table.Td>
                  <RouteLink to="/buy/$id" params={{ id: group.id }}>
                    {group.attributes.area_name}
                  </RouteLink>
                  {group.meta?.needs_registration && (
                    <Badge ml="xs" size="sm" variant="light" color="yellow">
                      paperwork
                    </Badge>
                  )}
                </Table.Td>
                <Table.Td visibleFrom="sm">{kind?.attributes.name}</Table.Td>
                <Table.Td visibleFrom="md">{group.attributes.features.map(showWords).join(', ')}</Table.Td>
                <Table.Td ta="right" visibleFrom="sm">
                  {group.meta?.total_count.toLocaleString('en-GB')}
                </Table.Td>
                <Table.Td ta="right">{offer && showMoney(offer.attributes.monthly_price)}</Table.Td>
              </Table.Tr>
            );
          })}
        </Table.Tbody>
      </Table>
    </Paper>
  );
}
