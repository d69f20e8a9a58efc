// SPDX-License-Identifier: Apache-2.0

/// The policy and the transform that a class declares for an attribute.
package struct PropertyConversion: Sendable {
    /// The conversion of the type of the attribute.
    package static let none = PropertyConversion(policy: nil, transform: nil)

    fileprivate let policy: IssuePolicy?
    fileprivate let transform: (any PropertyTransform)?

    private init(policy: IssuePolicy?, transform: (any PropertyTransform)?) {
        self.policy = policy
        self.transform = transform
    }

    /// Creates a conversion to the type of an attribute.
    package init<Value>(policy: IssuePolicy?, transform: ValueTransform<Value>?) {
        self.init(policy: policy, transform: transform.map { $0 as any PropertyTransform })
    }

    /// Creates a conversion between Swift values.
    package init(policy: IssuePolicy?, transform: AnyValueTransform) {
        self.init(policy: policy, transform: AnyPropertyTransform(transform))
    }
}

extension Property {
    /// Creates an attribute of an entity with a conversion that its class declares.
    package init(
        name: String, source: SourcePath?, isRequired: Bool, conversion: PropertyConversion,
        keyPath: (any AnyKeyPath & Sendable)?
    ) {
        self.init(
            name, source: source, isRequired: isRequired, relation: nil, valueType: nil,
            policy: conversion.policy, keyPath: keyPath, transform: conversion.transform)
    }
}
