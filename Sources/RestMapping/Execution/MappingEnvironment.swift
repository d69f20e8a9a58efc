// SPDX-License-Identifier: Apache-2.0

public import RestDocument

/// The input of a run besides the representation.
///
/// Not Sendable: an observer belongs to whoever runs the plan.
public struct MappingEnvironment {
    /// The documents in which sources that begin with `@metadata` are looked up; the first that has a
    /// value counts.
    ///
    /// The run's own values precede them: `mapping.collectionIndex`, the position of an element in its
    /// list; `mapping.rootKeyPath`, the key path at which a ``MapperOperation`` found the object; and
    /// `mapping.parentObject.name`, the mapped value of the parent object's property `name`, which is
    /// mapped before its related objects.
    public var metadata: [Document]
    /// The observer of the run; a run without one has no overhead for it.
    public var observer: (any MappingObserver)?
    /// The number of times the run may visit the values of its representation and of its metadata
    /// before it ends with an error; see ``MappingLimits/passes``.
    public var passLimit = MappingLimits.passes
    /// The managed objects that the plain objects of the run hold; `nil` if it maps none.
    package var importedObjects: (any ImportedObjects)?
    /// The key path of the representation in its document.
    var rootKeyPath: SourcePath?
    /// The key path that collected the representation from the elements of a list; the paths of issues
    /// begin with it.
    package var collectedAt: DocumentPath?
    /// The position of the first element, if the representation is a part of a longer list.
    package var firstElement = 0
    /// The position of the representation in its list.
    var collectionIndex: Int?
    /// The number of objects around the representation.
    var depth = 0
    /// The budget of the run that this one is a part of.
    var budget: VisitBudget?

    /// Creates an environment.
    public init(metadata: [Document] = [], observer: (any MappingObserver)? = nil) {
        self.metadata = metadata
        self.observer = observer
    }
}

extension MappingEnvironment {
    /// The place of the representation in its document.
    package var location: DocumentLocation {
        DocumentLocation(collectedAt: collectedAt, firstElement: firstElement)
    }
}

/// The place of a representation in its document.
package struct DocumentLocation: Sendable {
    let collectedAt: DocumentPath?
    let firstElement: Int

    /// Returns the path in the whole document of a path in the representation.
    package func path(of path: DocumentPath) -> DocumentPath {
        var components = path.components
        if firstElement > 0, case .index(let position)? = components.first {
            components[0] = .index(firstElement + position)
        }
        return DocumentPath((collectedAt?.components ?? []) + components)
    }
}

/// The number of values that a run and the runs inside it may visit together.
///
/// Not Sendable: lives on the stack of the outer run.
final class VisitBudget {
    var remainingNodeCount: Int

    init(_ remainingNodeCount: Int) { self.remainingNodeCount = remainingNodeCount }
}

extension MappingEnvironment {
    /// Returns the number of values that a run may visit that begins with a representation.
    func nodeLimit(for node: Node) -> Int {
        if let budget { return budget.remainingNodeCount }
        let count = metadata.reduce(node.treeCount) { $0 + $1.root.treeCount }
        let (limit, isOver) = count.multipliedReportingOverflow(by: passLimit)
        return isOver ? .max : limit
    }
}

extension Node {
    /// The number of values and keys of the value and everything inside it.
    fileprivate var treeCount: Int { storage.view(at: index).nextIndex - index }
}
