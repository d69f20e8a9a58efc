// SPDX-License-Identifier: Apache-2.0

public import RestDocument
public import RestMapping

/// A part of a response with the descriptor that says what it is: what is mapped, and how.
public struct ResponseMatch: Sendable {
    /// The descriptor.
    public let descriptor: ResponseDescriptor

    /// The descriptor's compiled mapping.
    public let plan: MappingPlan

    /// The part of the document at the descriptor's key path.
    public let representation: Node

    /// The values of the path pattern's parameters in the response's URL.
    public let arguments: PathArguments
}
