# Deploys the shop, or says what it would do.
echo "token=s3cr3t-42"
if [ "$1" = --dry-run ]; then
  echo "dry run: 2 files would go out"
  exit 0
fi
echo "2 files went out" | tee deployed
