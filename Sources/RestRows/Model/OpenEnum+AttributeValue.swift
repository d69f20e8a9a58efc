// SPDX-License-Identifier: Apache-2.0

public import RestMapping

extension OpenEnum: AttributeValue where Known.RawValue: AttributeValue {
    /// The value of the raw type, as a raw value without a case can be represented.
    public static var isRestricted: Bool { Known.RawValue.isRestricted }
}
