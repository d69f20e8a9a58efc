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
    ///
    /// Where the key path leads through a list, it is the list of what the elements have there.
    public let representation: Node

    /// The values of the path pattern's parameters in the response's URL.
    public let arguments: PathArguments

    /// What the run of the mapping is given; with paths that begin at the document.
    package var environment: MappingEnvironment {
        var environment = MappingEnvironment()
        if isCollected { environment.collectedAt = descriptor.keyPath }
        return environment
    }

    /// Whether the representation is a list that was made for the key path.
    let isCollected: Bool
}
