// The operations on the hooks of a project or, if the key is "", on those of the instance.

import type { CallOptions, HookCreate, HookFields, HookRotate, ListHookDeliveriesQuery } from "svc-sdk";
import { clientOf } from "../../core/client";

export function hookCalls(project: string) {
  const { admin } = clientOf(project);
  return project
    ? {
        list: (options: CallOptions) => admin.listHooks(options),
        get: (id: string, options: CallOptions) => admin.getHook(id, options),
        create: (fields: HookCreate) => admin.createHook(fields),
        update: (id: string, fields: HookFields, options?: CallOptions) => admin.updateHook(id, fields, options),
        remove: (id: string) => admin.deleteHook(id),
        rotate: (id: string, fields: HookRotate) => admin.rotateHookSecret(id, fields),
        test: (id: string) => admin.testHook(id),
        deliveries: (id: string, query: ListHookDeliveriesQuery, options: CallOptions) => admin.listHookDeliveries(id, query, options),
        delivery: (id: string, delivery: string, options: CallOptions) => admin.getHookDelivery(id, delivery, options),
        sendAgain: (id: string, delivery: string) => admin.resendHookDelivery(id, delivery),
      }
    : {
        list: (options: CallOptions) => admin.listInstanceHooks(options),
        get: (id: string, options: CallOptions) => admin.getInstanceHook(id, options),
        create: (fields: HookCreate) => admin.createInstanceHook(fields),
        update: (id: string, fields: HookFields, options?: CallOptions) => admin.updateInstanceHook(id, fields, options),
        remove: (id: string) => admin.deleteInstanceHook(id),
        rotate: (id: string, fields: HookRotate) => admin.rotateInstanceHookSecret(id, fields),
        test: (id: string) => admin.testInstanceHook(id),
        deliveries: (id: string, query: ListHookDeliveriesQuery, options: CallOptions) =>
          admin.listInstanceHookDeliveries(id, query, options),
        delivery: (id: string, delivery: string, options: CallOptions) => admin.getInstanceHookDelivery(id, delivery, options),
        sendAgain: (id: string, delivery: string) => admin.resendInstanceHookDelivery(id, delivery),
      };
}
