import {
  Alert,
  Anchor,
  Button,
  Center,
  Paper,
  PasswordInput,
  Stack,
  Text,
  TextInput,
  Title,
} from "@mantine/core";
import { useMutation, useQueryClient } from "@tanstack/react-query";
import { type FormEvent, useState } from "react";
import { api, got } from "@/api/client";
import { Logo } from "@/components/Logo";

/** Name yourself; who has a password says it too. */
export function Door({ refusal }: { refusal: Error | null }) {
  const client = useQueryClient();
  const [name, setName] = useState("");
  const [password, setPassword] = useState("");
  const [hasPassword, setHasPassword] = useState(false);
  const login = useMutation({
    mutationFn: () =>
      got(api.POST("/api/login", { body: { name, cookie: true, ...(hasPassword && { password }) } })),
    onSuccess: () => client.resetQueries(),
  });
  const submit = (event: FormEvent) => {
    event.preventDefault();
    login.mutate();
  };
  const trouble = login.error ?? refusal;
  return (
    <Center mih="100dvh" p="md" component="main">
      <Paper withBorder p="xl" w={380} maw="100%" shadow="sm">
        <form onSubmit={submit}>
          <Stack>
            <Logo size={36} />
            <div>
              <Title order={1} size="h3">
                Come in
              </Title>
              <Text c="dimmed" size="sm">
                Shared rooms with tools that anybody in them can run.
              </Text>
            </div>
            {trouble && (
              <Alert color="red" role="alert">
                {trouble.message}
              </Alert>
            )}
            <TextInput
              label="Your name"
              description="This is how the others see you"
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
              Come in
            </Button>
            <Anchor component="button" type="button" size="sm" onClick={() => setHasPassword(!hasPassword)}>
              {hasPassword ? "I am a guest" : "I have a password"}
            </Anchor>
          </Stack>
        </form>
      </Paper>
    </Center>
  );
}
