/** Who the account is on its bills. */
import { Alert, Paper, Text } from '@mantine/core';
import { useState } from 'react';
import { useRead, useSession } from '../api/queries.ts';
import { pathWith } from '../api/routes.ts';
import { billingFields, billingValues, billingWrite } from '../parts/billing-fields.ts';
import { ButtonLink } from '../parts/links.tsx';
import { Failure, Page, Waiting } from '../parts/page.tsx';
import { RecordForm } from '../parts/record-form.tsx';

export function Billing() {
  const { data: session } = useSession();
  const id = session?.account?.id ?? '';
  const read = useRead(id === '' ? null : pathWith('/panel/v1/billing_profiles/{id}', { id }));
  const [isSaved, setSaved] = useState(false);
  const attributes = read.data?.data.attributes;
  return (
    <Page
      title="Billing details"
      about="Who you are on invoices. Country and VAT id decide which VAT is added to prices."
      actions={
        <ButtonLink to="/invoices" variant="default">
          Invoices
        </ButtonLink>
      }
    >
      {read.error && <Failure error={read.error} retry={() => read.refetch()} />}
      {read.isPending && <Waiting />}
      {attributes?.tax_confirmed === false && (
        <Alert color="yellow" variant="light" title="Country and VAT id are being checked">
          <Text size="sm">Until the operator has confirmed them, VAT of {Number(attributes.vat_rate)} % is added.</Text>
        </Alert>
      )}
      {attributes !== undefined && (
        <Paper withBorder p="md" maw={640}>
          <RecordForm
            type="billing_profiles"
            route="/panel/v1/billing_profiles"
            id={id}
            fields={billingFields}
            initial={billingValues(attributes)}
            write={billingWrite}
            submit="Save billing details"
            onSaved={() => setSaved(true)}
          >
            {isSaved && (
              <Text size="sm" c="teal" role="status">
                Saved. VAT of {Number(attributes.vat_rate)} % is added to prices.
              </Text>
            )}
          </RecordForm>
        </Paper>
      )}
    </Page>
  );
}
