from dataclasses import dataclass
from enum import Enum


class ResidentKeyRequirement(str, Enum):
    REQUIRED = "required"


class UserVerificationRequirement(str, Enum):
    REQUIRED = "required"


class CredentialDeviceType(str, Enum):
    SINGLE_DEVICE = "single_device"
    MULTI_DEVICE = "multi_device"


@dataclass
class AuthenticatorSelectionCriteria:
    resident_key: ResidentKeyRequirement
    user_verification: UserVerificationRequirement
