SELECT j.id FROM json_each(?) f CROSS JOIN jobs j ON j.id = f.value
