#!/bin/bash
[[ -n $1 ]] && exit 2
