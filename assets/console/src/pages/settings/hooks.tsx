// The hooks of the instance.

import { textParam, useParams } from "../../core/address";
import { Deliveries } from "../hooks/deliveries";
import { HookList, instanceOperations } from "../hooks/list";
import { SettingsLayout } from "./layout";

const params = { hook: textParam };

const path = "/admin/settings/hooks";

export default function InstanceHooksPage() {
  const [{ hook }] = useParams(params);
  return hook ? (
    <Deliveries project="" hook={hook} path={path} />
  ) : (
    <SettingsLayout {...instanceOperations}>
      <HookList project="" path={path} />
    </SettingsLayout>
  );
}
