"""Sample sources, one per language, with realistic constructs."""

SOURCES = {
    "shop/cart.py": '''\
#!/usr/bin/env python3
# Copyright 2026 Ada
"""Adds up the items of a cart,
tax included. More is elsewhere."""

from __future__ import annotations
import os.path as path, json
from ..money import Tax as T
from .items import (
    Item,  # what is bought
    Price,
)
from . import store
from shop.rules import *

LIMIT = 3
Key = TypeVar("Key", bound=Item)
Mode = Literal["open", "closed"]


class Cart(Base):
    """A cart. Totals must never be negative."""

    @property
    def total(self) -> int:
        # The tax is always added last.
        if not self.items:
            raise EmptyCart("nothing in it")
        assert self.tax >= 0, "tax"
        return add(self.items)

    def _reset(self):
        pass


async def add(
    items: list[Item],  # all
    *, limit: int = LIMIT,
) -> int:
    def inner(): ...
    if len(items) > limit:
        raise ValueError(limit)
    else:
        raise TypeError
''',
    "src/cart.ts": """\
// Copyright 2026 Ada. Licensed to nobody.

/**
 * @module
 * Adds up the items of a cart.
 */
import { Item } from './items'
import type { Tax } from "../money"
export * from './rules'
const fs = require('node:fs')

/** Where a cart is. */
export type Mode = 'open' | 'closed'
export interface Priced { price: number; total(): number }
export enum Kind { Small = 'small', Large = 'large' }

export default class Cart<T extends Item> extends Base implements Priced {
  private items: T[] = []
  constructor(readonly tax: Tax) { super() }
  async total(limit: number): Promise<number> {
    if (limit < 0) {
      throw new RangeError('limit')
    }
    const { sum } = await import('./sum')
    return sum(this.items)
  }
  private reset() {}
  #hidden() {}
}
export const add = async (item: Item): Promise<void> => { console.assert(item.price > 0) }
function local() { function inner() {} }
// Callers must hold the lock.
const secret = 1
export { secret }
""",
    "src/App.tsx": """\
import React from 'react'
export function App({ title }: { title: string }): JSX.Element {
  const [open] = useState(false)
  return <Layout><Header title={title} /></Layout>
}
""",
    "lib/cart.js": """\
'use strict'
const { Item } = require('./items')
class Cart {
  total(items) {
    if (!items) throw new TypeError('items')
    return sum(items)
  }
}
function helper() {}
exports.add = function (item) { return new Item(item) }
module.exports = { Cart }
/**
 * Empties the cart.
 */

Cart.prototype.empty = function () {}
Cart._sweep = function () {}
helper.nobody = function () {}
describe('Cart', () => { it("adds up", () => {}) })
""",
    "cart/cart.go": """\
// Package cart adds up items. It is small.
package cart

import (
	"fmt"
	m "example.com/shop/money"
)

const Limit = 3

var errEmpty = errors.New("empty")

// Cart holds items.
type Cart struct {
	Items []Item
	tax   int
}

type Priced interface {
	Price() int
}

type Mode string

func (c *Cart) Total(limit int) (int, error) {
	if limit < 0 {
		return 0, fmt.Errorf("limit %d", limit)
	}
	if c == nil {
		panic("no cart")
	}
	return m.Sum(c.Items), nil
}

// New must be called once.
func New[T any](items []T) *Cart { return &Cart{} }

func helper() {}
""",
    "src/cart.rs": """\
//! Adds up the items of a cart.
use crate::money::{self, Tax, rules::*};
use std::collections::HashMap as Map;
pub mod items;
mod inner { pub fn deep() {} }

/// A cart.
#[derive(Debug)]
pub struct Cart<T> {
    pub items: Vec<T>,
}
pub enum Kind { Small, Large(u8) }
pub trait Priced { fn price(&self) -> u32; }

impl<T: Into<u8>> Priced for Cart<T> where T: Clone {
    fn price(&self) -> u32 { total(&self.items) }
}
impl<T> Cart<T> {
    pub fn new(items: Vec<T>) -> Result<Self, Error> {
        if items.is_empty() {
            return Err(Error::Empty);
        }
        assert!(items.len() < 10, "too many");
        // SAFETY: the pointer is never null.
        Ok(Self { items: items.first().expect("has one") })
    }
    fn hidden(&self) { panic!("never") }
}
pub(crate) const LIMIT: u8 = 3;
macro_rules! cart { () => {}; }
pin_project! {
    pub struct Pinned { x: u8 }
}
#[cfg(test)]
mod tests {
    #[test]
    fn adds() { assert_eq!(1, 1); }
}
""",
    "src/Cart.java": """\
/* Licensed to the ASF under one or more agreements. */
package shop.cart;

import java.util.List;
import static shop.money.Tax.rate;
import shop.rules.*;

/**
 * Adds up the items of a cart. More.
 */
@Service("cart")
public final class Cart<T> extends Base implements Priced {
    public static final int LIMIT = 3;
    private int tax;

    public Cart(List<Item> items) {
        this.items = Objects.requireNonNull(items);
    }

    @Override
    public int total(int limit) throws EmptyCart {
        if (limit < 0) {
            throw new IllegalArgumentException("limit");
        }
        Preconditions.checkArgument(limit < 10);
        return sum(items);
    }

    private void reset() {}

    enum Kind { SMALL, LARGE }
}

interface Priced { int price(); }
""",
    "src/cart.c": """\
/* Adds up the items of a cart. */
#include <stdio.h>
#include "money/tax.h"
#define LIMIT 3
#define ADD(a, b) ((a) + (b))

typedef struct cart { int tax; } cart_t;
enum kind { SMALL, LARGE };

int cart_total(struct cart *c, int limit);

static int *cart_items(cart_t *c)
{
    assert(c != NULL);
    if (c->tax < 0)
        abort();
    return items_of(c);
}
""",
    "src/cart.cpp": """\
// Adds up the items of a cart.
#include <vector>
#include "cart.hpp"

namespace shop {
template <typename T>
class Cart : public Base {
 public:
  explicit Cart(std::vector<Item> items);
  int total(int limit) const {
    if (limit < 0) throw std::invalid_argument("limit");
    static_assert(sizeof(int) == 4);
    return sum(items_);
  }
};
enum class Kind { Small, Large };
int Basket::total() const { return 0; }
static int helper() { return 1; }
}  // namespace shop
""",
    "src/Cart.cs": """\
using System.Text;
using static Shop.Money.Tax;
using Rules = Shop.Rules;

namespace Shop.Carts
{
    /// <summary>Adds up the items of a cart.</summary>
    [Serializable]
    public sealed class Cart<T> : Base where T : class
    {
        private int x = Bar(1);
        public int Tax { get; set; }
        public async Task<int> Total(int limit)
        {
            if (limit < 0) throw new ArgumentException("limit");
            ArgumentNullException.ThrowIfNull(limit);
            return Sum(limit);
        }
        void Reset() { }
    }
    public interface IPriced { int Price(); }
    enum Kind { Small, Large }
}
""",
    "lib/cart.rb": """\
# frozen_string_literal: true

# Adds up the items of a cart.
require "json"
require_relative "money/tax"

module Shop
  class Cart < Base
    LIMIT = 3
    attr_reader :tax
    validates :tax, presence: true

    def self.open(items)
      raise ArgumentError, "items" if items.nil?
      new(items)
    end

    def empty?
      unless ready
        raise NotReady.new("later")
      end
    end

    private

    def reset; end
  end
end
""",
    "src/Cart.php": """\
<?php
/** Adds up the items of a cart. */
namespace Shop\\Carts;

use Shop\\Money\\Tax;
use Shop\\Rules\\{Limit, Rounding as R};
require_once __DIR__ . '/helpers.php';

abstract class Cart extends Base implements Priced
{
    const LIMIT = 3;

    public static function total(int $limit): int
    {
        if ($limit < 0) {
            throw new InvalidArgumentException('limit');
        }
        assert($limit < 10);
        return sum($limit);
    }

    private function reset() {}
}

enum Kind: string { case Small = 'small'; }

function add(Item $item) {}
""",
    "bin/cart.sh": """\
#!/usr/bin/env bash
# Adds up the items of a cart.
set -euo pipefail
source ./lib/money.sh
. "$DIR/rules.sh"

LIMIT=3

total() {
  local cart="${1:?which cart}"
  if [ -z "$cart" ]; then
    echo "no cart" >&2
    exit 2
  fi
  sum_of "$cart"
}

function _reset { :; }
[[ -d $DIR ]] || exit 1
""",
    "src/Cart.kt": """\
package shop.cart

import shop.money.Tax
import shop.rules.*
import shop.items.Item as Thing

/** Adds up the items of a cart. */
data class Cart(val items: List<Thing>) : Base() {
    fun total(limit: Int): Int {
        require(limit >= 0) { "limit" }
        if (items.isEmpty()) throw EmptyCart("nothing")
        return sum(items)
    }

    private fun reset() {}
}

interface Priced {
    fun price(): Int
}

object Carts {
    val all = mutableListOf<Cart>()
}

fun List<Cart>.total(): Int = sumOf { it.total(1) }

typealias Sum = Int
""",
    "Sources/Cart.swift": """\
// Adds up the items of a cart.
import Foundation
@testable import struct Money.Tax

public struct Cart: Priced {
    public let items: [Item]

    public init(items: [Item]) {
        precondition(!items.isEmpty, "empty")
        self.items = items
    }

    func total(limit: Int) throws -> Int {
        guard limit > 0 else { throw CartError.limit }
        return sum(items)
    }

    private func reset() {}
}

protocol Priced {
    func price() -> Int
}

extension Cart {
    func describe() -> String { return "cart" }
}

typealias Sum = Int
""",
}
