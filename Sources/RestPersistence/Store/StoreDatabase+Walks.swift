// SPDX-License-Identifier: Apache-2.0

extension StoreDatabase {
    /// Notes the progress of a walk over a list, if the file does not have it.
    package func noteWalk(over request: CollectionRequest) async {
        _ = try? await transactions.transact(self, nil, mergePolicy) { context in
            context.record(.noted(request))
        }
    }
}
