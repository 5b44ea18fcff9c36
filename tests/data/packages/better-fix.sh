#!/bin/sh
# A package's filter, as an example: says who fixed it.
exec jq --unbuffered -c '{fields: {fix: ("FIXED BY: " + .fields.fix)}}'
