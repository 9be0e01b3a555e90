/** Who a customer is on bills. */
import { Alert, Paper, Text } from '@mantine/core';
import { useParams } from '@tanstack/react-router';
import { useState } from 'react';
import { useSession } from '../api/queries.ts';
import { pathWith } from '../api/routes.ts';
import { billingFields, billingValues, billingWrite } from '../parts/billing-fields.ts';
import { RouteLink } from '../parts/links.tsx';
import { Page } from '../parts/page.tsx';
import { RecordForm } from '../parts/record-form.tsx';
import { RecordPage } from '../parts/record-page.tsx';
import { mayDo } from './permissions.ts';

export function BillingPage() {
  const { id } = useParams({ from: '/operator/accounts/$id/billing' });
  const { data: session } = useSession();
  const [isSaved, setSaved] = useState(false);
  return (
    <RecordPage
      noun="Billing profile"
      id={id}
      path={pathWith('/operator/v1/billing_profiles/{id}', { id })}
      list={{ to: '/operator/accounts', label: 'All customers' }}
    >
      {({ data: { attributes } }) => (
        <Page
          title="Billing profile"
          about={`VAT of ${Number(attributes.vat_rate)} % is added to prices. Saving confirms country and VAT id.`}
          actions={
            <RouteLink to="/operator/accounts/$id" params={{ id }}>
              The customer
            </RouteLink>
          }
        >
          {attributes.tax_confirmed === false && (
            <Alert color="yellow" variant="light" title="Changed by the customer">
              <Text size="sm">Nobody has confirmed country and VAT id yet; the rate was not lowered.</Text>
            </Alert>
          )}
          <Paper withBorder p="md" maw={640}>
            <fieldset disabled={!mayDo(session, 'move money')} style={{ border: 0, padding: 0, margin: 0 }}>
              <RecordForm
                type="billing_profiles"
                route="/operator/v1/billing_profiles"
                id={id}
                fields={billingFields}
                initial={billingValues(attributes)}
                write={billingWrite}
                submit="Save and confirm"
                onSaved={() => setSaved(true)}
              >
                {isSaved && (
                  <Text size="sm" c="teal" role="status">
                    Saved.
                  </Text>
                )}
              </RecordForm>
            </fieldset>
          </Paper>
        </Page>
      )}
    </RecordPage>
  );
}
