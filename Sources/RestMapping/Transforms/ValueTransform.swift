// SPDX-License-Identifier: Apache-2.0

public import RestDocument

/// A declared conversion of a document's value into a property's type.
///
/// It replaces what the type itself would do and runs whatever kind the value is of, null included;
/// a missing value never reaches it.
public struct ValueTransform<Value>: Sendable {
    /// What the conversion is called in issues.
    public let name: String
    let apply: @Sendable (Node) throws -> Value

    /// Makes a transform.
    ///
    /// - Parameters:
    ///   - name: What the conversion is called in issues.
    ///   - apply: Converts a value; what it throws becomes an issue, the error itself is not kept.
    public init(_ name: String, _ apply: @escaping @Sendable (Node) throws -> Value) {
        self.name = name
        self.apply = apply
    }
}

/// A transform in a list of many, found again by its type.
protocol ErasedTransform: Sendable {
    var name: String { get }
}

extension ValueTransform: ErasedTransform {}
