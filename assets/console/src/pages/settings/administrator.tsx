// User name and password of the administrator.

import { Button, Stack, TextInput } from "@mantine/core";
import { useForm } from "@mantine/form";
import { useMutation, useQuery } from "@tanstack/react-query";
import { clientOf, statusOf } from "../../core/client";
import { Failure } from "../../core/failure";
import { noticeDone } from "../../core/notice";
import { logOut, useSession } from "../../core/session";
import { useTexts } from "../../core/texts";
import { UnsavedGuard } from "../../core/unsaved";
import { PasswordField } from "../../fields/password";
import { errorsOf } from "../../resource/form";
import { Section, SettingsLayout } from "./layout";

const shortest = 6;
const longest = 128;
const empty = { username: "", current_password: "", new_password: "", repeat: "" };

export default function AdministratorPage() {
  const texts = useTexts();
  const { administrator } = texts.settings;
  const session = useSession();
  const profile = useQuery({ queryKey: ["profile"], queryFn: ({ signal }) => clientOf("").admin.getAdminProfile({ signal }) });
  const username = profile.data?.username ?? session?.username ?? "";
  const form = useForm({
    mode: "controlled",
    initialValues: empty,
    validate: {
      current_password: (value) => (value ? null : administrator.needed),
      new_password: (value) => (value && value.length < shortest ? administrator.short : null),
      repeat: (value, { new_password }) => (value === new_password ? null : administrator.different),
    },
  });
  const save = useMutation({
    mutationFn: async ({ username: name, current_password, new_password }: typeof empty) => {
      const { admin } = clientOf("");
      try {
        await admin.updateAdminProfile({
          current_password,
          ...(name.trim() && { username: name.trim() }),
          ...(new_password && { new_password }),
        });
      } catch (error) {
        if (statusOf(error) === 401) {
          // The error means either that the password is wrong or that the login has expired. If the
          // login has expired, this call fails, too.
          await admin.getMe();
        }
        throw error;
      }
    },
    onSuccess: () => {
      form.reset();
      noticeDone(texts, administrator.done);
      logOut();
    },
    onError: (error) => {
      const { fields, rest } = errorsOf(error, Object.keys(empty));
      form.setErrors(statusOf(error) === 401 ? { current_password: [...Object.values(fields), ...rest].join("; ") } : fields);
    },
  });
  const { username: name, new_password } = form.values;
  const changes = new_password !== "" || (name.trim() !== "" && name.trim() !== username);
  const elsewhere = save.error && statusOf(save.error) !== 401 && errorsOf(save.error, Object.keys(empty)).rest.length > 0;
  return (
    <SettingsLayout operations={["getAdminProfile", "updateAdminProfile"]}>
      <Section title={administrator.account} description={administrator.description}>
        <form noValidate onSubmit={form.onSubmit((values) => save.mutate(values))}>
          <Stack gap="md" maw={400}>
            <TextInput
              label={administrator.username}
              placeholder={username}
              autoComplete="username"
              maxLength={64}
              {...form.getInputProps("username")}
            />
            <PasswordField
              label={administrator.next}
              description={administrator.nextHint}
              autoComplete="new-password"
              maxLength={longest}
              {...form.getInputProps("new_password")}
            />
            <PasswordField label={administrator.repeat} autoComplete="new-password" maxLength={longest} {...form.getInputProps("repeat")} />
            <PasswordField
              label={administrator.current}
              description={administrator.needed}
              autoComplete="current-password"
              required
              maxLength={longest}
              {...form.getInputProps("current_password")}
            />
            {elsewhere && <Failure error={save.error} />}
            <div>
              <Button type="submit" loading={save.isPending} disabled={!changes}>
                {administrator.save}
              </Button>
            </div>
          </Stack>
        </form>
      </Section>
      <UnsavedGuard unsaved={form.isDirty() && !save.isSuccess} />
    </SettingsLayout>
  );
}
