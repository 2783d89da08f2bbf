SELECT name, epoch, disabled FROM accounts WHERE epoch > 0 OR disabled
