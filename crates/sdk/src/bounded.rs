//! A map that cannot grow beyond its bound.

use std::borrow::Borrow;
use std::collections::HashMap;
use std::hash::Hash;

/// Keeps at least the `bound` entries used last, and at most twice as many. When the younger half is full it
/// becomes the older half and what was there is forgotten, so that no step costs more than a look-up.
#[derive(Debug)]
pub(crate) struct BoundedMap<K, V> {
    bound: usize,
    young: HashMap<K, V>,
    old: HashMap<K, V>,
}

impl<K: Hash + Eq, V> BoundedMap<K, V> {
    pub(crate) fn new(bound: usize) -> Self {
        Self { bound, young: HashMap::new(), old: HashMap::new() }
    }

    /// The entry, counted as used.
    pub(crate) fn get_mut<Q>(&mut self, key: &Q) -> Option<&mut V>
    where
        K: Borrow<Q>,
        Q: Hash + Eq + ?Sized,
    {
        if !self.young.contains_key(key) {
            let (key, value) = self.old.remove_entry(key)?;
            self.insert(key, value);
        }
        self.young.get_mut(key)
    }

    pub(crate) fn insert(&mut self, key: K, value: V) {
        if self.young.len() >= self.bound && !self.young.contains_key(&key) {
            self.old = std::mem::take(&mut self.young);
        }
        self.old.remove(&key);
        self.young.insert(key, value);
    }

    #[cfg_attr(not(feature = "rmcp"), allow(dead_code, reason = "only tasks are taken out again"))]
    pub(crate) fn remove<Q>(&mut self, key: &Q) -> Option<V>
    where
        K: Borrow<Q>,
        Q: Hash + Eq + ?Sized,
    {
        self.young.remove(key).or_else(|| self.old.remove(key))
    }

    #[cfg(test)]
    fn len(&self) -> usize {
        self.young.len() + self.old.len()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn never_holds_more_than_twice_its_bound_and_keeps_what_is_used() {
        let mut map = BoundedMap::new(10);
        map.insert(0, 0);
        for key in 1..1_000 {
            map.insert(key, key);
            assert!(map.len() <= 20);
            assert_eq!(map.get_mut(&0), Some(&mut 0));
        }
        assert_eq!(map.get_mut(&5), None);
        assert_eq!(map.remove(&999), Some(999));
        assert_eq!(map.remove(&999), None);
    }
}
