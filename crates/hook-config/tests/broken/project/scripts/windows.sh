#!/bin/sh
exit 2
