import io

import boto3
from botocore.config import Config
from botocore.exceptions import ClientError

at = {"endpoint_url": "https://store.test.example:8443", "region_name": "eu-central-1"}
s3 = boto3.client("s3", config=Config(s3={"addressing_style": "path"}), **at)
s3.put_object(Bucket="bucket", Key="a b/ü+~.txt", Body=b"x" * 100_000, Metadata={"a": "b  c"})
got = s3.get_object(Bucket="bucket", Key="a b/ü+~.txt")
print(got["ContentLength"], len(got["Body"].read()))
print(s3.get_object(Bucket="bucket", Key="a b/ü+~.txt", Range="bytes=0-3")["Body"].read())
print(s3.head_object(Bucket="bucket", Key="a b/ü+~.txt")["ContentLength"])
s3.upload_fileobj(io.BytesIO(b"streamed"), "bucket", "streamed")
back = io.BytesIO()
s3.download_fileobj("bucket", "streamed", back)
print(back.getvalue(), [o["Key"] for o in s3.list_objects_v2(Bucket="bucket", Prefix="a&b=c d")["Contents"]])
print(boto3.client("dynamodb", **at).list_tables()["TableNames"])
for client in (boto3.client("sqs", **at), boto3.client("s3", endpoint_url=at["endpoint_url"], region_name="us-east-1", config=Config(s3={"addressing_style": "path"}))):
    try:
        client.list_queues() if hasattr(client, "list_queues") else client.head_object(Bucket="bucket", Key="streamed")
    except ClientError as e:
        print(e.response["ResponseMetadata"]["HTTPStatusCode"])
