import { Anchor, Button, Center, Paper, PasswordInput, Stack, Text, TextInput, Title } from "@mantine/core";
import { useMutation, useQueryClient } from "@tanstack/react-query";
import { type FormEvent, useState } from "react";
import { api, dataOf } from "@/api/client";
import { Logo } from "@/components/Logo";
import { Refusal } from "@/components/Refusal";
import { guestSecret } from "./guestSecret";

/** Log in as a guest with any name, or as a user with a password. */
export function Login({ linkError, invitedTo }: { linkError: Error | null; invitedTo?: string }) {
  const client = useQueryClient();
  const [name, setName] = useState("");
  const [password, setPassword] = useState("");
  const [hasPassword, setHasPassword] = useState(false);
  const login = useMutation({
    mutationFn: () =>
      dataOf(
        api.POST("/api/login", {
          body: { name, cookie: true, ...(hasPassword ? { password } : { secret: guestSecret() }) },
        }),
      ),
    onSuccess: () => client.resetQueries(),
  });
  const submit = (event: FormEvent) => {
    event.preventDefault();
    login.mutate();
  };
  const error = login.error ?? linkError;
  return (
    <Center mih="100dvh" p="md" component="main">
      <Paper withBorder p="xl" w={380} maw="100%" shadow="sm">
        <form onSubmit={submit}>
          <Stack>
            <Logo size={36} />
            <div>
              <Title order={1} size="h3">
                Log in
              </Title>
              <Text c="dimmed" size="sm">
                {invitedTo
                  ? `You are invited to the room '${invitedTo}'. Enter your name to join it.`
                  : "Shared rooms with tools that anyone in them can run."}
              </Text>
            </div>
            <Refusal error={error} />
            <TextInput
              label="Your name"
              description="In any script. Others see it as you type it."
              autoComplete="username"
              maxLength={64}
              required
              value={name}
              onChange={(event) => setName(event.currentTarget.value)}
              data-autofocus
            />
            {hasPassword && (
              <PasswordInput
                label="Password"
                autoComplete="current-password"
                required
                value={password}
                onChange={(event) => setPassword(event.currentTarget.value)}
              />
            )}
            <Button type="submit" loading={login.isPending}>
              Log in
            </Button>
            <Anchor component="button" type="button" size="sm" onClick={() => setHasPassword(!hasPassword)}>
              {hasPassword ? "Continue as a guest" : "I have a password"}
            </Anchor>
          </Stack>
        </form>
      </Paper>
    </Center>
  );
}
