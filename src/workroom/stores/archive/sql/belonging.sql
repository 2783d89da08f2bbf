SELECT name, epoch FROM belonging
