// SPDX-License-Identifier: Apache-2.0

public import RestMapping

/// A mapping that a response descriptor can carry.
///
/// The mappings of ``/RestMapping`` are some. A room that maps into something of its own, such as
/// rows of a store, lets its mapping conform and finds it again in ``ResponseDescriptor/mapping``.
public protocol ResponseMapping: Sendable {
    /// How a representation in the response is read.
    var mapping: Mapping { get }
}

extension ObjectMapping: ResponseMapping {}
extension DynamicMapping: ResponseMapping {}
extension CodableMapping: ResponseMapping {}

extension Mapping: ResponseMapping {
    /// The mapping itself.
    public var mapping: Mapping { self }
}
