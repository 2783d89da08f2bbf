import { Button, Center, Paper, Stack, Text, Title } from "@mantine/core";
import { LOGIN_URL } from "@/api/mount";
import { Logo } from "@/components/Logo";

/** For people who log in to the application around this server. */
export function OutsideLogin() {
  return (
    <Center mih="100dvh" p="md" component="main">
      <Paper withBorder p="xl" w={380} maw="100%" shadow="sm">
        <Stack>
          <Logo size={36} />
          <Title order={1} size="h3">
            You are not logged in
          </Title>
          {LOGIN_URL ? (
            <Button component="a" href={LOGIN_URL}>
              Log in
            </Button>
          ) : (
            <Text>Log in to the site that this page is a part of, and load it again.</Text>
          )}
        </Stack>
      </Paper>
    </Center>
  );
}
