from fido2.utils import websafe_decode as base64url_to_bytes
from fido2.utils import websafe_encode as bytes_to_base64url
