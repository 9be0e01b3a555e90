/** The parts of documents that both bare handlers write by hand. */

export const links = (base: string, type: string, id: string, name: string) => ({
  links: { self: `${base}/${type}/${id}/relationships/${name}`, related: `${base}/${type}/${id}/${name}` },
});

interface GroupRow {
  id: string;
  prefix: string;
  area_name: string;
  features: string[];
  is_metered: boolean;
  allow_additional_channels: boolean;
  service_restrictions: string | null;
  available_dids_enabled: boolean;
  needs_registration: boolean;
  is_available: boolean;
  total_count: number;
}

export function groupObject(base: string, group: GroupRow, data: Record<string, unknown> = {}) {
  const relationship = (name: string) => ({
    ...links(base, 'did_groups', group.id, name),
    ...(name in data ? { data: data[name] } : {}),
  });
  return {
    id: group.id,
    type: 'did_groups',
    attributes: {
      prefix: group.prefix,
      area_name: group.area_name,
      features: group.features,
      is_metered: group.is_metered,
      allow_additional_channels: group.allow_additional_channels,
      service_restrictions: group.service_restrictions,
    },
    relationships: {
      country: relationship('country'),
      city: relationship('city'),
      region: relationship('region'),
      did_group_type: relationship('did_group_type'),
      stock_keeping_units: relationship('stock_keeping_units'),
      address_requirement: relationship('address_requirement'),
    },
    meta: {
      available_dids_enabled: group.available_dids_enabled,
      needs_registration: group.needs_registration,
      is_available: group.is_available,
      total_count: group.total_count,
    },
  };
}
