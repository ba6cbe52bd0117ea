# Adds to Debian's webauthn 2.5 and cose 1.2 what docs/quick-start/rails.md uses: several origins, and keys for OpenSSL 3.
require "webauthn"

class WebAuthn::Configuration
  def allowed_origins=(origins)
    self.origin = origins.first
  end unless method_defined?(:allowed_origins=)
end

module PublicKeyInfo
  def self.read(algorithm, key)
    info = OpenSSL::ASN1::Sequence([OpenSSL::ASN1::Sequence(algorithm), OpenSSL::ASN1::BitString(key)])
    OpenSSL::PKey.read(info.to_der)
  end
end

class COSE::Key::EC2
  def to_pkey
    names = ["id-ecPublicKey", curve.pkey_name]
    PublicKeyInfo.read(names.map { |name| OpenSSL::ASN1::ObjectId(name) }, "\x04".b + x + y)
  end
end

class COSE::Key::RSA
  def to_pkey
    key = OpenSSL::ASN1::Sequence([n, e].map { |number| OpenSSL::ASN1::Integer(bn(number)) })
    PublicKeyInfo.read([OpenSSL::ASN1::ObjectId("rsaEncryption"), OpenSSL::ASN1::Null(nil)], key.to_der)
  end
end
