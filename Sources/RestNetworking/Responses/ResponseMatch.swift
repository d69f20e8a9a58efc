// SPDX-License-Identifier: Apache-2.0

public import RestDocument
public import RestMapping

/// A part of a response and the response descriptor that matches it.
public struct ResponseMatch: Sendable {
    /// The descriptor.
    public let descriptor: ResponseDescriptor

    /// The descriptor's compiled mapping.
    public let plan: MappingPlan

    /// The part of the document at the descriptor's key path.
    ///
    /// If the key path leads through a list, this is a list of the values in its elements.
    public internal(set) var representation: Node

    /// The values of the path pattern's parameters in the URL that was asked for.
    public let arguments: PathArguments

    /// The environment for mapping the representation, with paths that start at the document's root.
    package var environment: MappingEnvironment {
        var environment = MappingEnvironment(metadata: metadata, observer: makeObserver?())
        if isCollected { environment.collectedAt = descriptor.keyPath }
        return environment
    }

    /// Returns the environment with the managed objects that the objects of the match hold.
    func environment(_ entities: ResponseEntities?) -> MappingEnvironment {
        var environment = environment
        environment.importedObjects = entities?.objects(of: self)
        return environment
    }

    /// Returns the observer of a run of the mapping; `nil` for none.
    var makeObserver: (@Sendable () -> (any MappingObserver)?)?

    /// The position among the matches of the response.
    var index = 0

    /// A Boolean value that indicates whether the representation was collected from a list's
    /// elements, instead of being a part of the document.
    let isCollected: Bool

    /// The values for sources that begin with `@metadata`, if the plan has any.
    var metadata: [Document] = []

    /// The decoder of a type that decodes itself.
    var decoder = DocumentDecoder()
}
