DELETE FROM offers WHERE extension = ? AND worker IN (SELECT id FROM workers WHERE runner = 'remote')
